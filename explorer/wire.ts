/** What do the answers hold, as far as the pages show it? Members of the documented answers; text of strangers is `unknown` until shown. */

export type Letter = 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B' | 'NR' | 'Provisioned';

export interface Standing {
  readonly did: string;
  readonly machine_id: string;
  readonly mcr_score: number;
  readonly mcr: Letter;
  readonly bond_status: 'bonded' | 'unbonded';
  readonly negative_flag: boolean;
  readonly event_count: number;
  readonly home_chain?: number;
  readonly rating_unavailable?: string;
}

export interface Factor {
  readonly name: 'revenue' | 'cadence' | 'trend' | 'trust' | 'tenure';
  readonly points_hundredths: number;
  readonly max_hundredths: number;
  readonly measure: Readonly<Record<string, number | string | null>>;
}

export interface Reason {
  readonly code: string;
  readonly lost_hundredths: number | null;
  readonly text: string;
}

export interface Explanation extends Standing {
  readonly mcr_degraded: boolean;
  readonly revenue_event_count: number;
  readonly activity_event_count: number;
  readonly revenue_trend: 'up' | 'stable' | 'down' | 'insufficient' | null;
  readonly total_revenue: number;
  readonly average_revenue_per_event: number | null;
  readonly last_updated: number | null;
  readonly summary: string;
  readonly model: string;
  readonly total_hundredths: number | null;
  readonly factors: readonly Factor[];
  readonly dormancy: { readonly idle_days: number | null; readonly lost_hundredths: number } | null;
  readonly reasons: readonly Reason[];
}

export interface ShownEvent {
  readonly event_type: number;
  readonly origin_value: number;
  readonly timestamp: number;
  readonly trust_level: number;
  readonly metadata: unknown;
  readonly origin_currency?: string;
  readonly origin_subunit?: number | null;
  readonly usd_value?: number | null;
  readonly amount_status?: string;
  /** These stand in the listing of events, not in the profile. */
  readonly position?: number;
  readonly judgement?: 'sound' | 'malformed' | 'late' | 'early';
  readonly source_tx_hash?: string;
}

export interface EventListing {
  readonly events: readonly ShownEvent[];
  readonly next_cursor: number | null;
}

export interface HistoryPoint {
  readonly day: string;
  readonly mcr_score: number;
  readonly mcr: Letter;
  readonly total_hundredths: number;
  /** US cents. */
  readonly revenue: number;
}

export interface History {
  readonly complete: boolean;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
}

/** The one object of the profile. */
export interface Profile {
  readonly operator: string | null;
  readonly data_visibility: 'private' | 'onchain' | 'public';
  readonly documentation_url: unknown;
  readonly service_endpoints: readonly { readonly id: unknown; readonly type: unknown; readonly endpoint: unknown }[];
  readonly event_data?: readonly ShownEvent[];
  readonly owner?: string;
  readonly controller?: string | null;
  readonly machine_type?: unknown;
}

export interface Card {
  readonly home_chain?: number;
  readonly registrations: readonly { readonly machineRegistry: string }[];
}

type Attested = 'unverified' | 'verified' | 'expired' | 'revoked';

export interface VerifyRecord {
  readonly didController: { readonly address: string };
  readonly operator: { readonly address: string };
  readonly verification: { readonly kyb: { readonly status: Attested }; readonly chip: { readonly status: Attested } };
}

export interface Monetization {
  readonly status: 'PENDING' | 'OPTED_IN' | 'OPTED_OUT';
  readonly signer: string | null;
  readonly updated_at: number | null;
}

export interface Deployment {
  readonly version: string;
  readonly chain_id: string;
  readonly registry: `0x${string}`;
}

export interface Fleet {
  readonly operator_did: string;
  readonly machines: readonly (Standing & { readonly name: string })[];
  readonly pagination: { readonly offset: number; readonly limit: number; readonly total: number };
  readonly unreadable: number;
  readonly index: {
    readonly indexed_block: number;
    readonly head_block: number;
    readonly lag_blocks: number;
    readonly head_observed_age_seconds: number;
    readonly alt_snapshot_age_seconds: number | null;
  };
}

export interface BoundRating extends Omit<
  Explanation,
  'model' | 'total_hundredths' | 'factors' | 'dormancy' | 'reasons'
> {
  readonly evm_address: string;
}

export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly rpc_connected: boolean;
  readonly contracts: Readonly<Record<string, boolean>>;
  readonly verify: boolean | null;
  readonly solana_indexer: {
    readonly ready: boolean;
    readonly slot: number | null;
    readonly age_seconds: number | null;
  } | null;
  readonly operator_index: {
    readonly ready: boolean;
    readonly indexed_block: number | null;
    readonly head_block: number | null;
    readonly lag_blocks: number | null;
    readonly head_observed_age_seconds: number | null;
  } | null;
}
