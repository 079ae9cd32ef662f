/**
 * Types of the JSON bodies of successful responses, and of their parts. Rendered from `src/http/schemas` by
 * `node docs/render-response-types.ts`; edit the schemas instead.
 */

/** The rating of a machine. */
export interface McrRecordResponse {
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** Points of 100, rounded. */
  readonly mcr_score: number;
  readonly mcr: Letter;
  /** Whether some amounts could not be converted to US dollars. */
  readonly mcr_degraded: boolean;
  /** Whether the machine has an active bond. */
  readonly bond_status: 'bonded' | 'unbonded';
  /** Whether a negative flag is on record. It is in force for 180 days. */
  readonly negative_flag: boolean;
  /** How many events the machine reported. */
  readonly event_count: number;
  /** How many of the events report revenue. */
  readonly revenue_event_count: number;
  /** How many of the events report activity. */
  readonly activity_event_count: number;
  /** Revenue of the last 30 days against the 30 days before; null: not rated. */
  readonly revenue_trend: 'up' | 'stable' | 'down' | 'insufficient' | null;
  /** US cents of qualifying revenue. */
  readonly total_revenue: number;
  /** US cents, with two decimals; null: not rated. */
  readonly average_revenue_per_event: number | null;
  /** Unix time of the newest event in seconds; null: no event. */
  readonly last_updated: number | null;
  /** Ordinal of the home chain; alt-chain machines only. */
  readonly home_chain?: number;
  /** Why there is no rating; alt-chain machines only, absent when the machine is rated. */
  readonly rating_unavailable?: 'no_events_yet' | 'indexer_behind' | 'not_rated_here';
  /** The rating in one sentence. */
  readonly summary: string;
}

/** A rating, and where every point of it comes from. */
export interface ExplanationResponse extends McrRecordResponse {
  /** The version of the rating model. */
  readonly model: string;
  /** The score before rounding, in hundredths of a point; null: not rated. */
  readonly total_hundredths: number | null;
  /** The factors of the score. */
  readonly factors: readonly RatingFactor[];
  /** The deduction for dormancy; null: not rated. */
  readonly dormancy: {
    /** Days since the newest qualifying event; null: none. */
    readonly idle_days: number | null;
    /** Idle days without a deduction; null: no qualifying event. */
    readonly free_days: number | null;
    /** Days in which what remains halves; null: no qualifying event. */
    readonly half_days: number | null;
    /** Hundredths of a point. */
    readonly lost_hundredths: number;
  } | null;
  /** The deduction without a verified operator, or with a negative flag in force; null: not rated. */
  readonly anchor: {
    /** Whether the identity of the operator is verified and it accepted the machine. */
    readonly operator_verified: boolean;
    /** Hundredths of a point. */
    readonly lost_hundredths: number;
  } | null;
  /** Deductions and notices, largest deduction first. */
  readonly reasons: readonly RatingReason[];
  /** Whether the machine is paused or deactivated. Does not affect the rating. */
  readonly availability: 'available' | 'paused' | 'deactivated' | 'unreadable';
  /** What the rating was computed from. */
  readonly inputs: {
    readonly block: {
      /** Decimal. */
      readonly number: string;
      /** The hash of the block. */
      readonly hash: string;
      /** Unix time in seconds. */
      readonly timestamp: number;
    };
    /** The slot of the alt chain that the facts were read at; alt-chain machines only. */
    readonly slot?: string;
    /** The Unix time in seconds that the rating was computed for. */
    readonly now: number;
    /** The state of the bond’s subscription. */
    readonly subscription: 'NotActivated' | 'Active' | 'Grace' | 'Runoff' | 'Terminated';
    /** Unix time of the last negative flag in seconds; 0: none. */
    readonly negative_flag_at: string;
    /** Trust set by an administrator; null: none. */
    readonly trust_override: number | null;
    /** Events before a move to this chain, which are not counted. */
    readonly prior_events: number;
    /** How many events the machine reported. */
    readonly event_count: number;
    /** The exchange rates. */
    readonly rates: {
      /** Whether a feed of exchange rates is configured. */
      readonly feed: boolean;
      /** The newest day of the rates. */
      readonly through: string;
      /** SHA-256 of all rates and tokens, as `docs/statements.md` describes. */
      readonly digest: string;
    };
  };
  /** The evidence found for the events. */
  readonly evidence: {
    /** The hash of the payment sources; null: none are configured. */
    readonly sources_hash: string | null;
    /** Unix time in seconds of the newest change of hands; events before it count as declared. Null: none. */
    readonly changed_hands_at: number | null;
    /** Whether the machine changed hands since its chip record was issued; null: there is no chip record in force. */
    readonly chip_changed_hands: boolean | null;
    /** The accounts that signed for payments to the machine. */
    readonly accounts: readonly {
      /** The address of the account. */
      readonly account: string;
      /** The owner of the machine that the account signed for. */
      readonly owner: string;
      /** Unix time in seconds of the block with the signature. */
      readonly since: number;
      /** The position of the event with the signature. */
      readonly seq: number;
    }[];
    /** How many events of the last 180 days have each verdict on their payment. */
    readonly verdicts: {
      readonly declared: number;
      readonly pending: number;
      readonly not_found: number;
      readonly failed: number;
      readonly wrong_time: number;
      readonly wrong_payee: number;
      readonly unknown_payer: number;
      readonly self_paid: number;
      readonly circular: number;
      readonly already_counted: number;
      readonly paid: number;
    };
  };
}

/** The profile of a machine, as token metadata. */
export interface ProfileResponse {
  /** The version of this form. */
  readonly schema_version: '1.0';
  /** The display name of the machine. */
  readonly name: string;
  /** What kind of token it is. */
  readonly description?: string;
  /** The picture of the rating. */
  readonly image?: string;
  /** The page of the machine. */
  readonly external_url?: string;
  /** The rating as typed attributes. */
  readonly attributes?: readonly (
    | {
        /** The name of the attribute. */
        readonly trait_type: string;
        readonly value: string;
      }
    | {
        /** The name of the attribute. */
        readonly trait_type: string;
        /** Points of 100, rounded. */
        readonly value: number;
        readonly max_value: number;
      }
    | {
        /** The name of the attribute. */
        readonly trait_type: string;
        readonly display_type: 'number';
        readonly value: number;
      }
  )[];
}

/** Services, registration and operator of a machine. */
export interface CardResponse {
  readonly type: string;
  /** The display name of the machine. */
  readonly name: string;
  readonly description: string;
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** Every machine with a card is registered. */
  readonly active: true;
  /** The web services that the machine publishes. */
  readonly services: readonly {
    /** The type of the service, as published. */
    readonly name: string;
    /** As published, unchecked. */
    readonly endpoint: string;
  }[];
  /** Who may see the events, as the owner published. */
  readonly data_visibility: 'private' | 'onchain' | 'public';
  /** As published; empty: none. */
  readonly documentation_url: string;
  /** The DID of the operator; null: none is designated. */
  readonly operator: string | null;
  /** Whether the machine has an active bond. */
  readonly bond_status: 'bonded' | 'unbonded';
  /** How many events the machine reported. */
  readonly event_count: number;
  /** Where the machine is registered. */
  readonly registrations: readonly {
    readonly type: string;
    /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
    readonly machineId: string;
    /** Chain and registry (CAIP-10). */
    readonly machineRegistry: string;
  }[];
  /** Ordinal of the home chain; alt-chain machines only. */
  readonly home_chain?: number;
  /** Why there is no rating; alt-chain machines only, absent when the machine is rated. */
  readonly rating_unavailable?: 'no_events_yet' | 'indexer_behind' | 'not_rated_here';
  /** The picture of the rating. */
  readonly image?: string;
  /** No endpoint is known to accept payments by x402. */
  readonly x402Support?: false;
  /** Declares no trust model. */
  readonly supportedTrust?: readonly string[];
  /** The token of the machine (CAIP-19); null: an alt-chain machine has none. */
  readonly asset_id?: string | null;
  /** The account of the operator (CAIP-10); null: none. */
  readonly operator_account?: string | null;
}

/** The rating and the revenue of each of the last 365 days. */
export interface HistoryResponse {
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** The version of the rating model. */
  readonly model: string;
  /** False: events, days or changes are known to be missing; there are no points then. Until blocks are proven (`/status`), changes that cancel each other out may be missing from a complete history. */
  readonly complete: boolean;
  /** The present terms of the bond. */
  readonly bond: {
    /** The state of the bond’s subscription. */
    readonly status: 'NotActivated' | 'Active' | 'Grace' | 'Runoff' | 'Terminated';
    /** Unix time in seconds at which grace begins; null: no period. */
    readonly period_end: number | null;
    /** Unix time in seconds at which the bond ends; null: no period. */
    readonly grace_end: number | null;
  };
  /** US cents before the first point. With those of the points: the total. */
  readonly revenue_before: number;
  /** Oldest first, one per day. The last is the present rating. */
  readonly points: readonly HistoryPoint[];
  /** Changes of the bond, the negative flag and the trust override, oldest first; those by time alone too. */
  readonly changes: readonly {
    /** Unix time of the change in seconds. */
    readonly at: number;
    readonly kind:
      | 'bond_started'
      | 'bond_renewed'
      | 'bond_in_grace'
      | 'bond_expired'
      | 'bond_terminated'
      | 'bond_terminated_for_fraud'
      | 'flagged'
      | 'flag_lapsed'
      | 'flag_cleared'
      | 'trust_override_set'
      | 'trust_override_cleared';
    /** The end of the period of a bond that starts or is renewed, or a percentage; else null. */
    readonly value: number | null;
  }[];
  /** Days on which the rating changed, oldest first. */
  readonly actions: readonly {
    /** A UTC day. */
    readonly day: string;
    readonly from: Letter;
    readonly to: Letter;
    /** What changed that day; time: nothing but that a day passed. */
    readonly cause: 'bond' | 'flag' | 'trust_override' | 'operator_verification' | 'events' | 'time';
  }[];
  /** Ordinal of the home chain; alt-chain machines only. */
  readonly home_chain?: number;
  /** Why there is no rating; alt-chain machines only, absent when the machine is rated. */
  readonly rating_unavailable?: 'no_events_yet' | 'indexer_behind' | 'not_rated_here';
}

/** A page of the events that the rating is computed from. */
export interface EventListingResponse {
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** How many events the machine reported. */
  readonly event_count: number;
  /** Newest first. */
  readonly events: readonly EventEntry[];
  /** The cursor of the page of older events; null: there are none. */
  readonly next_cursor: number | null;
  /** Ordinal of the home chain; alt-chain machines only. */
  readonly home_chain?: number;
  /** Why there is no rating; alt-chain machines only, absent when the machine is rated. */
  readonly rating_unavailable?: 'no_events_yet' | 'indexer_behind' | 'not_rated_here';
}

/** A page of the machines that an operator owns or controls. */
export interface FleetResponse {
  /** The DID of an operator or its raw address, in any letter case. */
  readonly operator_did: string;
  /** By machine id, lowest first. */
  readonly machines: readonly FleetEntry[];
  readonly pagination: {
    /** As requested, with every digit. */
    readonly offset: number;
    /** As requested. */
    readonly limit: number;
    /** How many machines the operator has. */
    readonly total: number;
  };
  /** Machines that belong on this page, or may, and could not be read. */
  readonly unreadable: number;
  readonly index: FleetIndex;
}

/** A page of the machines that an operator owns or controls, each with its rating. */
export interface RatedFleetResponse {
  /** The DID of an operator or its raw address, in any letter case. */
  readonly operator_did: string;
  /** By machine id, lowest first. */
  readonly machines: readonly RatedFleetEntry[];
  readonly pagination: {
    /** As requested, with every digit. */
    readonly offset: number;
    /** As requested. */
    readonly limit: number;
    /** How many machines the operator has. */
    readonly total: number;
  };
  /** Machines that belong on this page, or may, and could not be read. */
  readonly unreadable: number;
  readonly index: FleetIndex;
  /** Ids of the machines of this page that could not be read. */
  readonly unreadable_machines: readonly string[];
}

/** The machines with the newest indexed events. */
export interface ActiveMachinesResponse {
  /** Newest event first. */
  readonly machines: readonly ActiveMachineEntry[];
  /** Machines that belong in the list and could not be read. */
  readonly unreadable: number;
  /** Null: there is no index of the main chain. */
  readonly operator_index: OperatorIndexLag | null;
  /** Null: no alt chain is configured. */
  readonly solana_indexer: AltIndexLag | null;
}

/** The rating of the legacy machine that a wallet of the alt chain is bound to. */
export interface BoundMcrRecordResponse {
  /** The DID of an address of the main chain in EIP-55 spelling. */
  readonly did: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** Points of 100, rounded. */
  readonly mcr_score: number;
  readonly mcr: Letter;
  /** Whether some amounts could not be converted to US dollars. */
  readonly mcr_degraded: boolean;
  /** Whether the machine has an active bond. */
  readonly bond_status: 'bonded' | 'unbonded';
  /** Whether a negative flag is on record. It is in force for 180 days. */
  readonly negative_flag: boolean;
  /** How many events the machine reported. */
  readonly event_count: number;
  /** How many of the events report revenue. */
  readonly revenue_event_count: number;
  /** How many of the events report activity. */
  readonly activity_event_count: number;
  /** Revenue of the last 30 days against the 30 days before; null: not rated. */
  readonly revenue_trend: 'up' | 'stable' | 'down' | 'insufficient' | null;
  /** US cents of qualifying revenue. */
  readonly total_revenue: number;
  /** US cents, with two decimals; null: not rated. */
  readonly average_revenue_per_event: number | null;
  /** Unix time of the newest event in seconds; null: no event. */
  readonly last_updated: number | null;
  /** The rating in one sentence. */
  readonly summary: string;
  /** The wallet, as sent. */
  readonly solana_address: string;
  /** The address that the wallet is bound to, in EIP-55 spelling. */
  readonly evm_address: string;
}

/** A page of the legacy machines of the operator that a wallet of the alt chain is bound to. */
export interface BoundFleetResponse {
  /** The DID of an address of the main chain in EIP-55 spelling. */
  readonly operator_did: string;
  /** By machine id, lowest first. */
  readonly machines: readonly BoundFleetEntry[];
  readonly pagination: {
    /** As requested, with every digit. */
    readonly offset: number;
    /** As requested. */
    readonly limit: number;
    /** How many machines the operator has. */
    readonly total: number;
  };
  /** Machines that belong on this page, or may, and could not be read. */
  readonly unreadable: number;
  readonly index: FleetIndex;
  /** The wallet, as sent. */
  readonly solana_address: string;
  /** The address that the wallet is bound to, in EIP-55 spelling. */
  readonly evm_address: string;
}

/** A page of the machines of the deployment. */
export interface DirectoryResponse {
  /** In the requested order. A page may be short, and even empty, before the end: `next` decides. */
  readonly machines: readonly DirectoryEntry[];
  /** Cursor of the next page, for `after`; null: nothing is left. */
  readonly next: string | null;
  /** Machines that are known and not observed yet, counted up to 1000. 0: the directory is complete. */
  readonly unlisted: number;
  /** Unix time in seconds at which every machine known then had been observed; null: machines are still observed for the first time. */
  readonly opened_at: number | null;
  readonly index: FleetIndex;
}

/** Numbers of machines of the deployment. */
export interface DirectorySummaryResponse {
  /** Machines in the directory. */
  readonly machines: number;
  /** Machines by value of each member of an entry. */
  readonly counts: {
    readonly rating: {
      /** Machines. */
      readonly AAA: number;
      /** Machines. */
      readonly AA: number;
      /** Machines. */
      readonly A: number;
      /** Machines. */
      readonly BBB: number;
      /** Machines. */
      readonly BB: number;
      /** Machines. */
      readonly B: number;
      /** Machines. */
      readonly NR: number;
      /** Machines. */
      readonly Provisioned: number;
    };
    readonly bond: {
      /** Machines. */
      readonly NotActivated: number;
      /** Machines. */
      readonly Active: number;
      /** Machines. */
      readonly Grace: number;
      /** Machines. */
      readonly Runoff: number;
      /** Machines. */
      readonly Terminated: number;
    };
    readonly flag: {
      /** Machines. */
      readonly none: number;
      /** Machines. */
      readonly in_force: number;
      /** Machines. */
      readonly ended: number;
    };
    readonly kyb: {
      /** Machines. */
      readonly unverified: number;
      /** Machines. */
      readonly verified: number;
      /** Machines. */
      readonly expired: number;
      /** Machines. */
      readonly revoked: number;
    };
    readonly chip: {
      /** Machines. */
      readonly unverified: number;
      /** Machines. */
      readonly verified: number;
      /** Machines. */
      readonly expired: number;
      /** Machines. */
      readonly revoked: number;
    };
    readonly opt_in: {
      /** Machines. */
      readonly PENDING: number;
      /** Machines. */
      readonly OPTED_IN: number;
      /** Machines. */
      readonly OPTED_OUT: number;
    };
    readonly home: {
      /** Machines. */
      readonly main: number;
      /** Machines. */
      readonly alt: number;
    };
  };
  /** Machines that are known and not observed yet, counted up to 1000. 0: the directory is complete. */
  readonly unlisted: number;
  /** Unix time in seconds at which every machine known then had been observed; null: machines are still observed for the first time. */
  readonly opened_at: number | null;
  readonly index: FleetIndex;
}

/** A page of changes. */
export interface ChangePageResponse {
  /** In the order of their cursors. */
  readonly changes: readonly Change[];
  /** Cursor to continue from, also when the page is empty. */
  readonly next: number;
  /** Cursor of the newest change; `next` reaches it when nothing is left. */
  readonly newest: number;
  /** The smallest cursor that can be continued from. */
  readonly oldest_after: number;
  /** Unix time in seconds since which changes are recorded; null: machines are still observed for the first time. */
  readonly opened_at: number | null;
}

/** The opt-in decision in force. */
export type MonetizationStateResponse =
  | {
      /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
      readonly machine_id: string;
      /** The decision in force. */
      readonly status: 'OPTED_IN' | 'OPTED_OUT';
      /** The address in EIP-55 spelling, or the base58 key of an alt-chain machine. */
      readonly signer: string;
      /** Unix time in seconds when the decision was signed. */
      readonly updated_at: number;
      /** Whether the signer is owner or controller now; false after a sale. Null: unreadable. */
      readonly signer_is_current?: boolean | null;
    }
  | {
      /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
      readonly machine_id: string;
      /** There is no decision yet. */
      readonly status: 'PENDING';
      readonly signer: null;
      readonly updated_at: null;
      readonly signer_is_current?: null;
    };

/** A page of the decision log of a machine. */
export interface DecisionLogResponse {
  /** Newest first. */
  readonly decisions: readonly DecisionEntry[];
  /** The hash of the newest row; null: there is none. */
  readonly head: string | null;
  /** The cursor of the page of older decisions; null: there are none. */
  readonly next_cursor: number | null;
  /** On the last page, when older rows were pruned: their number and the last hash, signed. */
  readonly checkpoint?: DecisionCheckpoint;
}

/** The deployment that a signature is bound to. */
export interface PublishedDeploymentResponse {
  /** The version of the signed message. */
  readonly version: string;
  /** Decimal. */
  readonly chain_id: string;
  /** The machine registry, in lower case. */
  readonly registry: string;
}

/** Who controls and operates a machine, and whether operator and chip are verified. */
export interface VerifyRecordResponse {
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machineId: string;
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly machineDid: string;
  /** The chain of the machine. */
  readonly homeChain: {
    readonly kind: 'evm';
    /** Decimal. */
    readonly chainId: string;
  };
  /** The account that controls the DID. */
  readonly didController: VerifyAccount;
  /** The economic owner of the machine, whose KYB status is reported. */
  readonly operator: VerifyAccount;
  /** KYB of the operator, and the chip of the machine. There is no aggregate. */
  readonly verification: {
    readonly kyb: VerifyTopic;
    readonly chip: VerifyTopic;
  };
}

/** A challenge for the chip of a machine. */
export interface ChipChallengeResponse {
  /** The main chain, decimal. */
  readonly chainId: string;
  /** The controller of the machine in EIP-55 spelling, never zero. */
  readonly didController: string;
  /** When the challenge expires: Unix time in seconds, decimal. */
  readonly expiresAt: string;
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly machineDid: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machineId: string;
  /** Identifies the challenge. It is shown only once. */
  readonly nonce: string;
  /** The chip profile. */
  readonly profile: string;
  /** The protocol and its version. */
  readonly protocol: string;
  /** The service that issued the challenge. */
  readonly verifier: string;
}

/** The receipt of an accepted evidence document. The status of the chip changes when a record is written. */
export interface ChipReceiptResponse {
  /** Identifies the chip without its certificate. */
  readonly chipRef: string;
  /** Keccak-256 of the document. */
  readonly evidenceHash: string;
  /** The form of the document. */
  readonly evidenceSchema: string;
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly machineDid: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machineId: string;
  /** Identifies the receipt. */
  readonly receiptId: string;
  /** When the evidence was accepted: Unix time in seconds, decimal. */
  readonly receivedAt: string;
  /** Revocation of the certificate is not checked. */
  readonly revocationStatus: 'not_evaluated';
  /** Acceptance is not verification. */
  readonly status: 'accepted';
  /** The pinned roots that the certificate leads to. */
  readonly trustBundle: string;
}

/** A rating that can be proven later. */
export interface StatementResponse {
  /** The signed message. */
  readonly statement: {
    /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
    readonly machineId: string;
    /** The protocol ordinal of the home chain. */
    readonly homeChain: number;
    /** The version of the rating model. */
    readonly model: string;
    /** The rating. */
    readonly rating: 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B' | 'NR' | 'Provisioned';
    /** Points in hundredths; 0 for NR and Provisioned. */
    readonly scoreHundredths: number;
    /** Whether the machine has an active bond. */
    readonly bonded: boolean;
    /** Whether a negative flag is on record. It is in force for 180 days. */
    readonly negativeFlag: boolean;
    /** The KYB status of the operator. */
    readonly kyb: 'unverified' | 'verified' | 'expired' | 'revoked';
    /** The status of the chip; `unverified` for alt-chain machines. */
    readonly chip: 'unverified' | 'verified' | 'expired' | 'revoked';
    /** The finalized block of all facts. Decimal. */
    readonly blockNumber: string;
    /** The hash of the block. */
    readonly blockHash: string;
    /** The slot of the alt chain; 0 for main-chain machines. Decimal. */
    readonly altSlot: string;
    /** The Unix time in seconds that the rating was computed for. */
    readonly ratedAt: number;
    /** The last second of validity, as Unix time. */
    readonly validUntil: number;
    /** Keccak-256 of the RFC 8785 form of `explanation`. */
    readonly explanationHash: string;
  };
  /** The EIP-712 domain. */
  readonly domain: {
    /** The name of the domain. */
    readonly name: string;
    readonly version: '1';
    /** The main chain. */
    readonly chainId: number;
    /** The machine registry in EIP-55 spelling. */
    readonly verifyingContract: string;
  };
  /** The EIP-712 types. */
  readonly types: {
    readonly RatingStatement: readonly {
      readonly name:
        | 'machineId'
        | 'homeChain'
        | 'model'
        | 'rating'
        | 'scoreHundredths'
        | 'bonded'
        | 'negativeFlag'
        | 'kyb'
        | 'chip'
        | 'blockNumber'
        | 'blockHash'
        | 'altSlot'
        | 'ratedAt'
        | 'validUntil'
        | 'explanationHash';
      readonly type: 'uint256' | 'uint16' | 'string' | 'bool' | 'bytes32' | 'uint64';
    }[];
  };
  /** r, s and the recovery byte, with low s. */
  readonly signature: string;
  /** The signing key in EIP-55 spelling. */
  readonly signer: string;
  /** A rating, and where every point of it comes from. */
  readonly explanation: {
    /** The DID of a machine: its method and the canonical decimal id. */
    readonly did: string;
    /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
    readonly machine_id: string;
    /** Points of 100, rounded. */
    readonly mcr_score: number;
    readonly mcr: Letter;
    /** Whether some amounts could not be converted to US dollars. */
    readonly mcr_degraded: boolean;
    /** Whether the machine has an active bond. */
    readonly bond_status: 'bonded' | 'unbonded';
    /** Whether a negative flag is on record. It is in force for 180 days. */
    readonly negative_flag: boolean;
    /** How many events the machine reported. */
    readonly event_count: number;
    /** How many of the events report revenue. */
    readonly revenue_event_count: number;
    /** How many of the events report activity. */
    readonly activity_event_count: number;
    /** Revenue of the last 30 days against the 30 days before; null: not rated. */
    readonly revenue_trend: 'up' | 'stable' | 'down' | 'insufficient' | null;
    /** US cents of qualifying revenue. */
    readonly total_revenue: number;
    /** US cents, with two decimals; null: not rated. */
    readonly average_revenue_per_event: number | null;
    /** Unix time of the newest event in seconds; null: no event. */
    readonly last_updated: number | null;
    /** Ordinal of the home chain; alt-chain machines only. */
    readonly home_chain?: number;
    /** Why there is no rating; alt-chain machines only, absent when the machine is rated. */
    readonly rating_unavailable?: 'no_events_yet' | 'indexer_behind' | 'not_rated_here';
    /** The rating in one sentence. */
    readonly summary: string;
    /** The version of the rating model. */
    readonly model: string;
    /** The score before rounding, in hundredths of a point; null: not rated. */
    readonly total_hundredths: number | null;
    /** The factors of the score. */
    readonly factors: readonly RatingFactor[];
    /** The deduction for dormancy; null: not rated. */
    readonly dormancy: {
      /** Days since the newest qualifying event; null: none. */
      readonly idle_days: number | null;
      /** Idle days without a deduction; null: no qualifying event. */
      readonly free_days: number | null;
      /** Days in which what remains halves; null: no qualifying event. */
      readonly half_days: number | null;
      /** Hundredths of a point. */
      readonly lost_hundredths: number;
    } | null;
    /** The deduction without a verified operator, or with a negative flag in force; null: not rated. */
    readonly anchor: {
      /** Whether the identity of the operator is verified and it accepted the machine. */
      readonly operator_verified: boolean;
      /** Hundredths of a point. */
      readonly lost_hundredths: number;
    } | null;
    /** Deductions and notices, largest deduction first. */
    readonly reasons: readonly RatingReason[];
    /** Whether the machine is paused or deactivated. Does not affect the rating. */
    readonly availability: 'available' | 'paused' | 'deactivated' | 'unreadable';
    /** What the rating was computed from. */
    readonly inputs: {
      readonly block: {
        /** Decimal. */
        readonly number: string;
        /** The hash of the block. */
        readonly hash: string;
        /** Unix time in seconds. */
        readonly timestamp: number;
      };
      /** The slot of the alt chain that the facts were read at; alt-chain machines only. */
      readonly slot?: string;
      /** The Unix time in seconds that the rating was computed for. */
      readonly now: number;
      /** The state of the bond’s subscription. */
      readonly subscription: 'NotActivated' | 'Active' | 'Grace' | 'Runoff' | 'Terminated';
      /** Unix time of the last negative flag in seconds; 0: none. */
      readonly negative_flag_at: string;
      /** Trust set by an administrator; null: none. */
      readonly trust_override: number | null;
      /** Events before a move to this chain, which are not counted. */
      readonly prior_events: number;
      /** How many events the machine reported. */
      readonly event_count: number;
      /** The exchange rates. */
      readonly rates: {
        /** Whether a feed of exchange rates is configured. */
        readonly feed: boolean;
        /** The newest day of the rates. */
        readonly through: string;
        /** SHA-256 of all rates and tokens, as `docs/statements.md` describes. */
        readonly digest: string;
      };
    };
    /** The evidence found for the events. */
    readonly evidence: {
      /** The hash of the payment sources; null: none are configured. */
      readonly sources_hash: string | null;
      /** Unix time in seconds of the newest change of hands; events before it count as declared. Null: none. */
      readonly changed_hands_at: number | null;
      /** Whether the machine changed hands since its chip record was issued; null: there is no chip record in force. */
      readonly chip_changed_hands: boolean | null;
      /** The accounts that signed for payments to the machine. */
      readonly accounts: readonly {
        /** The address of the account. */
        readonly account: string;
        /** The owner of the machine that the account signed for. */
        readonly owner: string;
        /** Unix time in seconds of the block with the signature. */
        readonly since: number;
        /** The position of the event with the signature. */
        readonly seq: number;
      }[];
      /** How many events of the last 180 days have each verdict on their payment. */
      readonly verdicts: {
        readonly declared: number;
        readonly pending: number;
        readonly not_found: number;
        readonly failed: number;
        readonly wrong_time: number;
        readonly wrong_payee: number;
        readonly unknown_payer: number;
        readonly self_paid: number;
        readonly circular: number;
        readonly already_counted: number;
        readonly paid: number;
      };
    };
  };
}

/** The keys of rating statements. */
export interface StatementDirectoryResponse {
  /** All keys in the order of their publication. */
  readonly keys: readonly {
    /** An address of the main chain in EIP-55 spelling. */
    readonly address: string;
    /** First second of `ratedAt`; null: announced, not in use yet. Unix time in seconds. */
    readonly notBefore: number | null;
    /** Last second of `ratedAt`; null: in use, or announced. Unix time in seconds. */
    readonly notAfter: number | null;
    /** When the key was revoked; its statements prove nothing. Null: not revoked. Unix time in seconds. */
    readonly revokedAt: number | null;
  }[];
  /** The EIP-712 domain. */
  readonly domain: {
    /** The name of the domain. */
    readonly name: string;
    readonly version: '1';
    /** The main chain. */
    readonly chainId: number;
    /** The machine registry in EIP-55 spelling. */
    readonly verifyingContract: string;
  };
  /** The EIP-712 types. */
  readonly types: {
    readonly RatingStatement: readonly {
      readonly name:
        | 'machineId'
        | 'homeChain'
        | 'model'
        | 'rating'
        | 'scoreHundredths'
        | 'bonded'
        | 'negativeFlag'
        | 'kyb'
        | 'chip'
        | 'blockNumber'
        | 'blockHash'
        | 'altSlot'
        | 'ratedAt'
        | 'validUntil'
        | 'explanationHash';
      readonly type: 'uint256' | 'uint16' | 'string' | 'bool' | 'bytes32' | 'uint64';
    }[];
  };
}

/** The DID document of a machine. */
export interface DidDocumentResponse {
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly id: string;
  /** The token of a main-chain machine (CAIP-19). */
  readonly alsoKnownAs: readonly string[];
  readonly verificationMethod: readonly {
    /** A DID URL. */
    readonly id: string;
    /** The DID of a machine: its method and the canonical decimal id. */
    readonly controller: string;
    /** How the signature of the account is verified. */
    readonly type: 'EcdsaSecp256k1RecoveryMethod2020' | 'Ed25519VerificationKey2018';
    /** The account that signs for the machine (CAIP-10). */
    readonly blockchainAccountId: string;
    /** The key of the account; alt-chain machines only. */
    readonly publicKeyBase58?: string;
  }[];
  readonly authentication: readonly string[];
  readonly assertionMethod: readonly string[];
  /** The published services with an HTTP URL. */
  readonly service: readonly {
    /** A DID URL. */
    readonly id: string;
    /** As published. */
    readonly type: string;
    /** As published, unchecked. */
    readonly serviceEndpoint: string;
  }[];
}

/** The result of resolving a DID. */
export interface DidResolutionResponse {
  /** The DID document of a machine. */
  readonly didDocument: {
    /** The DID of a machine: its method and the canonical decimal id. */
    readonly id: string;
    /** The token of a main-chain machine (CAIP-19). */
    readonly alsoKnownAs: readonly string[];
    readonly verificationMethod: readonly {
      /** A DID URL. */
      readonly id: string;
      /** The DID of a machine: its method and the canonical decimal id. */
      readonly controller: string;
      /** How the signature of the account is verified. */
      readonly type: 'EcdsaSecp256k1RecoveryMethod2020' | 'Ed25519VerificationKey2018';
      /** The account that signs for the machine (CAIP-10). */
      readonly blockchainAccountId: string;
      /** The key of the account; alt-chain machines only. */
      readonly publicKeyBase58?: string;
    }[];
    readonly authentication: readonly string[];
    readonly assertionMethod: readonly string[];
    /** The published services with an HTTP URL. */
    readonly service: readonly {
      /** A DID URL. */
      readonly id: string;
      /** As published. */
      readonly type: string;
      /** As published, unchecked. */
      readonly serviceEndpoint: string;
    }[];
  };
  readonly didResolutionMetadata: {
    readonly contentType: 'application/did+json';
  };
  /** Empty. */
  readonly didDocumentMetadata: Readonly<Record<string, unknown>>;
}

/** The registration file of a machine (ERC-8004). */
export interface AgentRegistrationResponse {
  readonly type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';
  /** The display name of the machine. */
  readonly name: string;
  readonly description: string;
  /** The picture of the rating. */
  readonly image: string;
  /** The published web services with an HTTP URL, and the DID. */
  readonly services: readonly {
    /** The type of the service, as published, or DID. */
    readonly name: string;
    /** As published, unchecked. */
    readonly endpoint: string;
    /** Of the DID only. */
    readonly version?: 'v1';
  }[];
  /** No endpoint is known to accept payments by x402. */
  readonly x402Support: false;
  /** Every machine with a registration is registered. */
  readonly active: true;
  /** Where the machine is registered. */
  readonly registrations: readonly {
    /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
    readonly agentId: string;
    /** Chain and registry (CAIP-10). */
    readonly agentRegistry: string;
  }[];
  /** Declares no trust model. */
  readonly supportedTrust: readonly string[];
}

/** The rating of a machine as a feedback file (ERC-8004). */
export interface AgentFeedbackResponse {
  /** Chain and registry (CAIP-10). */
  readonly agentRegistry: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly agentId: string;
  /** The account of the statement key (CAIP-10). */
  readonly clientAddress: string;
  /** The time that the rating was computed for. */
  readonly createdAt: string;
  /** Points in hundredths. */
  readonly value: number;
  /** Decimals of the value. */
  readonly valueDecimals: 2;
  /** The version of the rating model. */
  readonly tag1: string;
  /** The rating. */
  readonly tag2: 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B';
  /** The signed rating statement. */
  readonly proof: {
    /** The signed message. */
    readonly statement: {
      /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
      readonly machineId: string;
      /** The protocol ordinal of the home chain. */
      readonly homeChain: number;
      /** The version of the rating model. */
      readonly model: string;
      /** The rating. */
      readonly rating: 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B' | 'NR' | 'Provisioned';
      /** Points in hundredths; 0 for NR and Provisioned. */
      readonly scoreHundredths: number;
      /** Whether the machine has an active bond. */
      readonly bonded: boolean;
      /** Whether a negative flag is on record. It is in force for 180 days. */
      readonly negativeFlag: boolean;
      /** The KYB status of the operator. */
      readonly kyb: 'unverified' | 'verified' | 'expired' | 'revoked';
      /** The status of the chip; `unverified` for alt-chain machines. */
      readonly chip: 'unverified' | 'verified' | 'expired' | 'revoked';
      /** The finalized block of all facts. Decimal. */
      readonly blockNumber: string;
      /** The hash of the block. */
      readonly blockHash: string;
      /** The slot of the alt chain; 0 for main-chain machines. Decimal. */
      readonly altSlot: string;
      /** The Unix time in seconds that the rating was computed for. */
      readonly ratedAt: number;
      /** The last second of validity, as Unix time. */
      readonly validUntil: number;
      /** Keccak-256 of the RFC 8785 form of `explanation`. */
      readonly explanationHash: string;
    };
    /** The EIP-712 domain. */
    readonly domain: {
      /** The name of the domain. */
      readonly name: string;
      readonly version: '1';
      /** The main chain. */
      readonly chainId: number;
      /** The machine registry in EIP-55 spelling. */
      readonly verifyingContract: string;
    };
    /** The EIP-712 types. */
    readonly types: {
      readonly RatingStatement: readonly {
        readonly name:
          | 'machineId'
          | 'homeChain'
          | 'model'
          | 'rating'
          | 'scoreHundredths'
          | 'bonded'
          | 'negativeFlag'
          | 'kyb'
          | 'chip'
          | 'blockNumber'
          | 'blockHash'
          | 'altSlot'
          | 'ratedAt'
          | 'validUntil'
          | 'explanationHash';
        readonly type: 'uint256' | 'uint16' | 'string' | 'bool' | 'bytes32' | 'uint64';
      }[];
    };
    /** r, s and the recovery byte, with low s. */
    readonly signature: string;
    /** The signing key in EIP-55 spelling. */
    readonly signer: string;
  };
}

/** The process runs. Nothing else is checked. */
export interface HealthResponse {
  readonly status: 'ok';
}

/** Whether the service can serve requests. */
export interface ReadinessResponse {
  /** Whether the service can serve requests. */
  readonly status: 'ready' | 'not_ready';
  /** Whether a node of the main chain responds. */
  readonly rpc_connected: boolean;
  readonly contracts: {
    /** Whether the contract can be called. */
    readonly machine_registry: boolean;
    /** Whether the contract can be called. */
    readonly machine_state_and_sync: boolean;
    /** Whether the contract can be called. */
    readonly machine_subscription: boolean;
    /** Whether the contract can be called. */
    readonly event_registry: boolean;
    /** Whether the contract can be called. */
    readonly admin_flags: boolean;
  };
  /** Whether Verify is ready; null: this server does not run Verify. */
  readonly verify: boolean | null;
  /** Null: no alt chain is configured. */
  readonly solana_indexer: AltIndexLag | null;
  /** Null: there is no index of the main chain. */
  readonly operator_index: OperatorIndexLag | null;
  /** State of the clock, judged by the blocks of the chain; while it is doubtful or behind, nothing that depends on the time is served. */
  readonly clock?: 'good' | 'unconfirmed' | 'doubtful' | 'behind';
  /** Present with distributed rate limiting. False: the store cannot be reached, and each replica counts alone. */
  readonly shared_rate_limits?: boolean;
}

/** Whether the indexes are fresh. */
export interface StatusResponse {
  /** Whether every index is fresh. */
  readonly status: 'fresh' | 'not_fresh';
  /** The lag that counts as fresh, as requested. */
  readonly max_lag_blocks: number;
  /** Null: there is no index of the main chain. */
  readonly operator_index: OperatorIndexLag | null;
  /** Null: no alt chain is configured. */
  readonly solana_indexer: AltIndexLag | null;
  /** Null: no alt chain is configured, nothing is listed yet, or the index cannot be read. */
  readonly solana_index_progress: AltIndexProgress | null;
  /** What stops or slows the indexes now, as far as this process knows; empty: nothing. */
  readonly causes: readonly StatusCause[];
  /** The call budget of each chain. */
  readonly call_budgets?: readonly CallBudgetEntry[];
  /** The payment sources; only the process that follows them reports it. */
  readonly payment_sources?: readonly PaymentSourceEntry[];
  /** The search of each home chain; absent without payment sources, or when the database cannot be read. */
  readonly payment_searches?: readonly PaymentSearchEntry[];
}

/** The rating. NR: not rated; Provisioned: bonded, with too little history for a rating. */
export type Letter = 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B' | 'NR' | 'Provisioned';

/** How much the machine earns. */
export interface RevenueFactorEntry {
  readonly name: 'revenue';
  /** Points earned, in hundredths of a point. */
  readonly points_hundredths: number;
  /** Points that can be earned, in hundredths of a point. */
  readonly max_hundredths: number;
  /** The measurements that the points follow from. */
  readonly measure: {
    /** US cents of qualifying revenue in the counted weeks. */
    readonly usd_cents: number;
    /** The part of it that is paid or attested. */
    readonly verified_usd_cents: number;
  };
}

/** How regularly the machine works. */
export interface CadenceFactorEntry {
  readonly name: 'cadence';
  /** Points earned, in hundredths of a point. */
  readonly points_hundredths: number;
  /** Points that can be earned, in hundredths of a point. */
  readonly max_hundredths: number;
  /** The measurements that the points follow from. */
  readonly measure: {
    /** Weeks with a qualifying event. */
    readonly weeks: number;
    /** Days with a qualifying event. */
    readonly days: number;
    /** Weeks with a paid or attested event. */
    readonly verified_weeks: number;
    /** Days with a paid or attested event. */
    readonly verified_days: number;
  };
}

/** Whether revenue or activity grows. */
export interface TrendFactorEntry {
  readonly name: 'trend';
  /** Points earned, in hundredths of a point. */
  readonly points_hundredths: number;
  /** Points that can be earned, in hundredths of a point. */
  readonly max_hundredths: number;
  /** The measurements that the points follow from. */
  readonly measure: {
    /** Measure by which the two periods are compared. */
    readonly basis: 'revenue' | 'activity' | 'none';
    /** The later period in percent of the earlier one; null: not known. */
    readonly percent: number | null;
    /** The same with single bursts cut; null: not known. */
    readonly even_percent: number | null;
  };
}

/** How much of the revenue has evidence. */
export interface TrustFactorEntry {
  readonly name: 'trust';
  /** Points earned, in hundredths of a point. */
  readonly points_hundredths: number;
  /** Points that can be earned, in hundredths of a point. */
  readonly max_hundredths: number;
  /** The measurements that the points follow from. */
  readonly measure: {
    /** Source of the trust. */
    readonly source: 'flag' | 'override' | 'none' | 'events';
    /** Trust in hundredths of a percent. */
    readonly percent_hundredths: number;
    /** US cents of 180 days without evidence. */
    readonly declared_usd_cents: number;
    /** US cents of 180 days whose payment was followed. */
    readonly paid_usd_cents: number;
    /** US cents of 180 days reported by a device on record. */
    readonly attested_usd_cents: number;
  };
}

/** For how many weeks the machine has worked. */
export interface TenureFactorEntry {
  readonly name: 'tenure';
  /** Points earned, in hundredths of a point. */
  readonly points_hundredths: number;
  /** Points that can be earned, in hundredths of a point. */
  readonly max_hundredths: number;
  /** The measurements that the points follow from. */
  readonly measure: {
    /** Weeks with a qualifying event. */
    readonly weeks: number;
  };
}

/** One of the five factors of the score. */
export type RatingFactor =
  RevenueFactorEntry | CadenceFactorEntry | TrendFactorEntry | TrustFactorEntry | TenureFactorEntry;

/** A deduction from the score, or a notice. */
export interface RatingReason {
  /** Identifies the notice or deduction. */
  readonly code:
    | 'not_bonded'
    | 'not_graduated'
    | 'history_elsewhere'
    | 'dormant'
    | 'unanchored'
    | 'flagged'
    | 'revenue_low'
    | 'revenue_unverified'
    | 'cadence_low'
    | 'cadence_unverified'
    | 'trend_below'
    | 'trend_without_revenue'
    | 'trend_unknown'
    | 'trust_override'
    | 'trust_none'
    | 'trust_low'
    | 'tenure_short';
  /** Hundredths of a point; null: a notice, which costs none. */
  readonly lost_hundredths: number | null;
  /** The same for people. */
  readonly text: string;
}

/** Rating, operator and services of a machine. */
export interface ProfileFacts {
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** The DID of the operator; null: none is designated. */
  readonly operator: string | null;
  readonly mcr: Letter;
  /** Points of 100, rounded. */
  readonly mcr_score: number;
  /** Whether the machine has an active bond. */
  readonly bond_status: 'bonded' | 'unbonded';
  /** Whether a negative flag is on record. It is in force for 180 days. */
  readonly negative_flag: boolean;
  /** How many events the machine reported. */
  readonly event_count: number;
  /** Who may see the events, as the owner published. */
  readonly data_visibility: 'private' | 'onchain' | 'public';
  /** As published; null: none. */
  readonly documentation_url: string | null;
  /** As published in the DID document. */
  readonly service_endpoints: readonly {
    /** As published. */
    readonly id: string;
    /** As published. */
    readonly type: string;
    /** As published, unchecked. */
    readonly endpoint: string;
  }[];
  /** The data API of a private machine. */
  readonly data_api?: string;
  /** The oldest events of a machine with the visibility onchain. */
  readonly event_data?: readonly MachineEvent[];
  /** The response of the data API of a public machine, unchecked. */
  readonly partner_data?: object;
  /** Why there is no response of the data API. */
  readonly partner_data_error?: 'not_fetched' | 'no_data_api' | 'unreachable' | 'invalid';
  /** Ordinal of the home chain; alt-chain machines only. */
  readonly home_chain?: number;
  /** Why there is no rating; alt-chain machines only, absent when the machine is rated. */
  readonly rating_unavailable?: 'no_events_yet' | 'indexer_behind' | 'not_rated_here';
  /** The account that owns the machine; alt-chain machines only. */
  readonly owner?: string;
  /** The account that controls the machine; alt-chain machines only. */
  readonly controller?: string | null;
  /** As registered; alt-chain machines only. */
  readonly machine_type?: string;
  /** A machine that relocates has no profile; alt-chain machines only. */
  readonly relocating?: false;
}

/** An event that a machine reported. */
export interface MachineEvent {
  /** 0: revenue; 1: activity. */
  readonly event_type: number;
  /** Minor units of `origin_currency`, or a metric of the machine, with every digit. */
  readonly origin_value: number;
  /** When it happened, as reported: Unix time in seconds. */
  readonly timestamp: number;
  /** As reported. 0: self-reported; 1: on-chain; 2: hardware-signed. */
  readonly trust_level: number;
  /** Reported with the event, unchecked. */
  readonly metadata: object;
  /** Revenue only: the currency. */
  readonly origin_currency?: string;
  /** Revenue only: US cents; null: not converted. */
  readonly usd_value?: number | null;
  /** Revenue only: minor units of one unit of the currency; null: not known. */
  readonly origin_subunit?: number | null;
  /** Revenue only: cents of a dollar. */
  readonly usd_subunit?: 100;
  /** Revenue only: whether the amount was converted. */
  readonly amount_status?: 'ok' | 'unsupported_currency' | 'fx_unavailable';
}

/** The rating at the end of one UTC day, and the revenue of that day. */
export interface HistoryPoint {
  /** A UTC day. */
  readonly day: string;
  /** Points of 100, rounded. */
  readonly mcr_score: number;
  readonly mcr: Letter;
  /** Whether some amounts could not be converted to US dollars. */
  readonly mcr_degraded: boolean;
  /** Hundredths of a point, before rounding and before the bond is checked; null: not rated. */
  readonly total_hundredths: number | null;
  /** US cents of qualifying revenue in blocks of that day. */
  readonly revenue: number;
  /** Whether the machine has an active bond. */
  readonly bond_status: 'bonded' | 'unbonded';
}

/** An event of the history of a machine. */
export interface EventEntry extends MachineEvent {
  /** The place in the history of the machine, from 0. */
  readonly position: number;
  /** Unix time of the block in seconds. */
  readonly block_timestamp: number;
  /** Only a sound event can qualify for the rating. */
  readonly judgement: 'sound' | 'malformed' | 'late' | 'early';
  /** The hash of the reported data. */
  readonly data_hash: string;
  /** Decimal, as reported. */
  readonly source_chain_id: string;
  /** As reported. */
  readonly source_tx_hash: string;
  /** What supports the event: nothing, a payment, or a device on record; null: it does not qualify. */
  readonly class: 'declared' | 'paid' | 'attested' | null;
  /** What became of the payment that the event cites; null: it is not revenue that qualifies. */
  readonly verdict:
    | 'declared'
    | 'pending'
    | 'not_found'
    | 'failed'
    | 'wrong_time'
    | 'wrong_payee'
    | 'unknown_payer'
    | 'self_paid'
    | 'circular'
    | 'already_counted'
    | 'paid'
    | null;
  /** US cents of the payment that count for this event. */
  readonly paid_cents: number;
  /** The chain of the payment (CAIP-2); null: not found. */
  readonly source: string | null;
  /** The symbol of the token of the payment; null: not found. */
  readonly token: string | null;
  /** The account that paid; null: not found. */
  readonly payer: string | null;
  /** US cents of the whole payment; null: not found. */
  readonly worth_cents: number | null;
  /** US cents that went back to the payer; null: not found. */
  readonly returned_cents: number | null;
}

/** A machine of a fleet: its rating record, and the state of its subscription. */
export interface RatedFleetEntry extends McrRecordResponse {
  /** The state of the bond’s subscription. */
  readonly subscription: 'NotActivated' | 'Active' | 'Grace' | 'Runoff' | 'Terminated';
}

/** A machine in a list. */
export interface FleetEntry {
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating. */
  readonly mcr_score: number;
  readonly mcr: Letter;
  /** Whether a negative flag is on record. It is in force for 180 days. */
  readonly negative_flag: boolean;
  /** The display name of the machine. */
  readonly name: string;
  /** Whether the machine has an active bond. */
  readonly bond_status: 'bonded' | 'unbonded';
  /** How many events the machine reported. */
  readonly event_count: number;
  /** Ordinal of the home chain; alt-chain machines only. */
  readonly home_chain?: number;
  /** Why there is no rating; alt-chain machines only, absent when the machine is rated. */
  readonly rating_unavailable?: 'no_events_yet' | 'indexer_behind' | 'not_rated_here';
}

/** A legacy machine in a list. */
export interface BoundFleetEntry {
  /** The DID of an address of the main chain in EIP-55 spelling. */
  readonly did: string;
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating. */
  readonly mcr_score: number;
  readonly mcr: Letter;
  /** Whether a negative flag is on record. It is in force for 180 days. */
  readonly negative_flag: boolean;
  /** The display name of the machine. */
  readonly name: string;
  /** Whether the machine has an active bond. */
  readonly bond_status: 'bonded' | 'unbonded';
  /** How many events the machine reported. */
  readonly event_count: number;
}

/** A machine in the list of the most active machines. */
export interface ActiveMachineEntry extends FleetEntry {
  /** Unix time in seconds of the block of the newest indexed event. */
  readonly last_event_at: number;
}

/** How far the index that the list comes from is behind the chain. */
export interface FleetIndex {
  /** The newest indexed block. */
  readonly indexed_block: number;
  /** The head of the chain. */
  readonly head_block: number;
  /** Blocks between the two. */
  readonly lag_blocks: number;
  /** Seconds since the head was read. */
  readonly head_observed_age_seconds: number;
  /** Seconds since the owners of alt-chain machines were read; null: no alt chain. */
  readonly alt_snapshot_age_seconds: number | null;
}

/** A machine as it was last observed. `/mcr/{did}` has its current rating. */
export interface DirectoryEntry {
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** Letter of the rating. */
  readonly rating: 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B' | 'NR' | 'Provisioned';
  /** State of the subscription of the bond. */
  readonly bond: 'NotActivated' | 'Active' | 'Grace' | 'Runoff' | 'Terminated';
  /** State of the negative flag. */
  readonly flag: 'none' | 'in_force' | 'ended';
  /** Verification of the operator (KYB). */
  readonly kyb: 'unverified' | 'verified' | 'expired' | 'revoked';
  /** Verification of the chip. */
  readonly chip: 'unverified' | 'verified' | 'expired' | 'revoked';
  /** Decision about monetization in force. */
  readonly opt_in: 'PENDING' | 'OPTED_IN' | 'OPTED_OUT';
  /** Home chain: the main chain or the alt chain. */
  readonly home: 'main' | 'alt';
  /** Points of 100, rounded. */
  readonly score: number;
  /** Operator of the machine; null: none is recorded. */
  readonly operator: string | null;
  /** Owner: an address, or a key of the alt chain. */
  readonly owner: string;
  /** Indexed events. */
  readonly event_count: number;
  /** Qualifying revenue in US cents. */
  readonly total_revenue: number;
  /** Unix time in seconds of the newest block with an event; null: none. */
  readonly last_event_at: number | null;
  /** Final block of the main chain at which the machine was observed. */
  readonly block: number;
  /** Unix time in seconds of the observation. */
  readonly observed_at: number;
}

/** A decision that was in force. */
export type DecisionEntry =
  | {
      /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
      readonly machine_id: string;
      readonly opted_in: boolean;
      /** Unix time in seconds when the decision was signed. */
      readonly timestamp: number;
      /** The address in EIP-55 spelling, or the base58 key of an alt-chain machine. */
      readonly signer: string;
      /** As sent. Null until 330 s after the timestamp, and while the clock of the service is in doubt. */
      readonly signature: string | null;
      /** The signed message. */
      readonly message: string;
      readonly authority: AuthorityAtDecision;
      /** The hash of the row before; null: the first row. */
      readonly previous: string | null;
      /** SHA-256 of the RFC 8785 form of the row without this member. */
      readonly hash: string;
    }
  | {
      /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
      readonly machine_id: string;
      readonly opted_in: boolean;
      /** Unix time in seconds when the decision was signed. */
      readonly timestamp: number;
      /** The address in EIP-55 spelling, or the base58 key of an alt-chain machine. */
      readonly signer: string;
      /** As sent. Null until 330 s after the timestamp, and while the clock of the service is in doubt. */
      readonly signature: string | null;
      readonly message: null;
      readonly authority: null;
      readonly previous: null;
      readonly hash: null;
      /** The row is older than the chain, and nothing proves it. */
      readonly unverifiable: true;
    };

/** Who was entitled to decide. */
export interface AuthorityAtDecision {
  /** The address in EIP-55 spelling, or the base58 key of an alt-chain machine. */
  readonly owner: string;
  /** The owner where no controller is set. */
  readonly controller: string;
  /** The block of the main chain at which it was read. */
  readonly block: {
    readonly number: string;
    readonly hash: string;
  };
  /** The slot of an alt-chain machine; null: a main-chain machine. */
  readonly slot: string | null;
}

/** The head of a decision log as EIP-712 typed data, signed by a statement key. */
export interface DecisionCheckpoint {
  readonly head: {
    /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
    readonly machineId: string;
    /** The hash of the newest row. */
    readonly hash: string;
    /** The number of rows up to it. */
    readonly count: number;
    /** Unix time in seconds. */
    readonly signedAt: number;
  };
  /** r, s and the recovery byte, with low s. */
  readonly signature: string;
  /** An address of the main chain in EIP-55 spelling. */
  readonly signer: string;
}

/** A difference between two consecutive observations of a machine, both of final facts. */
export interface Change {
  /** Place in the order of all changes, without gaps. */
  readonly cursor: number;
  /** What has changed. */
  readonly kind: 'owner' | 'operator' | 'bond' | 'flag' | 'kyb' | 'chip' | 'opt-in' | 'rating';
  /** Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits. */
  readonly machine_id: string;
  /** The DID of a machine: its method and the canonical decimal id. */
  readonly did: string;
  /** Operator of the machine; null: none is recorded. */
  readonly operator: string | null;
  /** Value of the previous observation; null: none. */
  readonly from: string | null;
  /** Value now; null: none. Values of rating: the letter; bond: Active, Grace, Runoff, Terminated or NotActivated; flag: none, in_force or ended; owner and operator: an address or a key of the alt chain; chip and kyb: unverified, verified, expired or revoked; opt-in: PENDING, OPTED_IN or OPTED_OUT. */
  readonly to: string | null;
  /** Final block of the main chain at which the change was observed. */
  readonly block: number;
  /** Unix time in seconds of the observation. */
  readonly observed_at: number;
}

/** An account; its address is never zero. */
export interface VerifyAccount {
  readonly kind: 'evm';
  /** An address of the main chain in EIP-55 spelling. */
  readonly address: string;
}

/** The verification of one topic. */
export interface VerifyTopic {
  readonly status: 'unverified' | 'verified' | 'expired' | 'revoked';
}

/** How far the index of the main chain is behind its head. */
export interface OperatorIndexLag {
  /** Whether the index is fresh enough to be used. */
  readonly ready: boolean;
  /** The newest indexed block; null: none yet. */
  readonly indexed_block: number | null;
  /** The head of the chain; null: not read yet. */
  readonly head_block: number | null;
  /** Blocks between the two; null: not known. */
  readonly lag_blocks: number | null;
  /** Seconds since the head was read; null: never. */
  readonly head_observed_age_seconds: number | null;
  /** How far the index is proven; absent where that is not known. */
  readonly proof?: IndexProofEntry;
}

/** How far the index of the main chain is proven. Informational. */
export interface IndexProofEntry {
  /** The setting `INDEX_PROOF`. */
  readonly mode: 'background' | 'full' | 'before' | 'off';
  /** Whether all owners and block times of the first backfill are known. */
  readonly backfilled: boolean;
  /** Blocks whose logs are served but not yet proven by their receipts. */
  readonly unproven_blocks: number;
  /** The number of ranges that are known to hold no other logs. */
  readonly segment_count: number;
  /** The newest of these ranges, newest first. */
  readonly segments: readonly {
    /** The first block. */
    readonly from_block: number;
    /** The last block. */
    readonly to_block: number;
    /** By every header, by the logs of two hosts, by random headers; or two hosts return a block without its parent. */
    readonly kind: 'headers' | 'second-node' | 'sample' | 'unprovable';
  }[];
}

/** The call budget of this process for one chain. Informational. */
export interface CallBudgetEntry {
  /** The chain whose nodes are called. */
  readonly chain: 'main' | 'solana';
  /** The calls allowed per second now; null: no limit is known. */
  readonly calls_per_second: number | null;
  /** Requests that wait for their turn. */
  readonly waiting_requests: number;
  /** Reads refused since the start because their turn did not come in time. */
  readonly refused_reads: number;
  /** Whether the calls of the day are used too fast, which stops the proof. */
  readonly day_exhausted: boolean;
}

/** A payment source as this process follows it. Informational. */
export interface PaymentSourceEntry {
  /** The CAIP-2 name of the chain. */
  readonly source: string;
  /** Whether the last attempt could read it; null: there was none. */
  readonly up: boolean | null;
  /** Seconds since the newest finalized block read; null: none yet. */
  readonly head_age_seconds: number | null;
  /** Machines that wait for a verdict on a payment. */
  readonly waiting_machines: number;
  /** The cause of the last failure; null: none since the start. */
  readonly last_failure:
    | 'transport'
    | 'deadline'
    | 'rate-limited'
    | 'calls-used-up'
    | 'own-calls-used-up'
    | 'rpc-error'
    | 'malformed'
    | 'wrong-chain'
    | 'wrong-deployment'
    | 'block-mismatch'
    | 'undecodable'
    | 'disagreement'
    | 'contradiction'
    | 'events'
    | 'no-head'
    | null;
}

/** How far the events of a home chain are searched. Verdicts on later events are pending; those of Solana machines need both chains. */
export interface PaymentSearchEntry {
  /** The home chain of the events. */
  readonly chain: 'main' | 'solana';
  /** The block time through which all events are searched for payments, in Unix seconds; null: none yet. */
  readonly searched_through: number | null;
  /** The age of that time; null: none yet. */
  readonly age_seconds: number | null;
}

/** How old the index of the alt chain is. */
export interface AltIndexLag {
  /** Whether the index is fresh enough to be used. */
  readonly ready: boolean;
  /** The slot of the newest snapshot; null: none yet. */
  readonly slot: number | null;
  /** The age of that snapshot; null: none yet. */
  readonly age_seconds: number | null;
}

/** The progress of the alt-chain index through its history. */
export interface AltIndexProgress {
  /** What the index does: it lists new transactions, newest to oldest; applies them, oldest to newest; or has applied all known ones. */
  readonly phase: 'listing' | 'applying' | 'following';
  /** The slot up to which transactions are applied; null: none yet. */
  readonly applied_slot: number | null;
  /** The slot of the newest known transaction. */
  readonly target_slot: number;
  /** The slot of the oldest transaction listed; null: nothing is being listed. */
  readonly listed_down_to_slot: number | null;
}

/** A cause that stops or slows an index. */
export interface StatusCause {
  /** A fixed name of the cause; more may be added. */
  readonly cause: string;
  /** The variable or fact that the cause concerns. */
  readonly subject: string;
  /** What is wrong. */
  readonly text: string;
  /** What to do. */
  readonly remedy: string;
}

/** One invalid parameter. */
export interface ValidationIssue {
  /** The kind of problem. */
  readonly type: string;
  /** Its place, and its name or position there. */
  readonly loc: readonly (string | number)[];
  /** The problem, for people. */
  readonly msg: string;
  /** The given value, at most 100 characters of it. */
  readonly input: unknown;
  /** The bounds that were violated. */
  readonly ctx?: Readonly<Record<string, string | number>>;
}
