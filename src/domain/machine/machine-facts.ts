/**
 * Facts of the main chain about one machine at one block (chain-evm 3 and 5).
 * Other files of `domain/` interpret them.
 */
import type { ReadResult } from '../read-result.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import type { AttestationRecord } from '../evidence/verify-status.ts';

/** Block of a read. `timestamp` in Unix seconds. */
export interface BlockRef {
  readonly number: number;
  readonly hash: string;
  readonly timestamp: number;
}

/** Block without its timestamp. */
export type BlockId = Pick<BlockRef, 'number' | 'hash'>;

export interface VerificationMethod {
  readonly id: string;
  readonly methodType: string;
  readonly controller: string;
  readonly publicKeyMultibase: string;
}

export interface ServiceEndpoint {
  readonly id: string;
  readonly serviceType: string;
  readonly serviceEndpoint: string;
}

/** Stored DID document; its `id` is computed by the contract and therefore not a fact. */
export interface DidDocument {
  readonly controller: Address | undefined;
  readonly verificationMethods: readonly VerificationMethod[];
  /** Indexes into `verificationMethods`; may point outside. */
  readonly authentication: readonly bigint[];
  readonly serviceEndpoints: readonly ServiceEndpoint[];
}

export type SubscriptionStatus = 'NotActivated' | 'Active' | 'Grace' | 'Runoff' | 'Terminated';

/** Times in Unix seconds; `periodStart` 0 = never activated; `bondedAmount` with 18 decimals. */
export interface Subscription {
  readonly tier: number;
  readonly periodStart: bigint;
  readonly periodEnd: bigint;
  readonly bondedAmount: bigint;
}

/** Stored event as `getEvents` returns it; untrusted. */
export interface EventRecord {
  readonly eventType: number;
  readonly value: bigint;
  readonly timestamp: bigint;
  readonly dataHash: string;
  readonly trustLevel: number;
  readonly sourceChainId: bigint;
  readonly sourceTxHash: string;
  /** `0x` hex of the raw bytes. */
  readonly metadata: string;
  readonly currency: string;
}

/** Consecutive records from position `offset` on, oldest first. */
export interface EventPage {
  readonly offset: number;
  readonly records: readonly EventRecord[];
}

/** `flaggedAt` in Unix seconds, 0 for none; `trustOverride` in percent. */
export interface AdminFlagsRecord {
  readonly flaggedAt: bigint;
  readonly trustOverride: number | undefined;
}

/** Attestation records; undefined without one. `kyb` is that of `operator`: the machine's, or its owner where none is recorded. */
export interface AttestationRecords {
  readonly operator: Address | undefined;
  readonly kyb: AttestationRecord | undefined;
  readonly chip: AttestationRecord | undefined;
}

/** Result of one multicall about one machine. Two snapshots of one machine differ by identity. */
export interface MachineSnapshot {
  readonly id: MachineId;
  readonly block: BlockRef;
  /** Absent: a decoded `ERC721NonexistentToken`. */
  readonly owner: ReadResult<Address>;
  /** Absent: none set, or no token. */
  readonly controller: ReadResult<Address>;
  /** Absent: none recorded. */
  readonly operator: ReadResult<Address>;
  /** Absent: no token. */
  readonly document: ReadResult<DidDocument>;
  readonly subscription: ReadResult<Subscription>;
  readonly subscriptionStatus: ReadResult<SubscriptionStatus>;
  readonly available: ReadResult<boolean>;
  readonly generalPaused: ReadResult<boolean>;
  readonly technicalPaused: ReadResult<boolean>;
  readonly operatorPaused: ReadResult<boolean>;
  readonly relocating: ReadResult<boolean>;
  /** Protocol ordinal; 0 = none recorded. */
  readonly homeOrdinal: ReadResult<number>;
  readonly eventCount: ReadResult<bigint>;
  readonly priorEventCount: ReadResult<bigint>;
  /** Page of records from the requested position on. */
  readonly events: ReadResult<EventPage>;
  /** Records from position 0 on, at most the query limit; undefined when not requested. */
  readonly firstEvents: ReadResult<EventPage> | undefined;
  /** Absent: no AdminFlags contract is configured. */
  readonly flags: ReadResult<AdminFlagsRecord>;
  /** Absent: no AttestationRegistry contract is configured. */
  readonly attestations: ReadResult<AttestationRecords>;
  /** Number of logs of the chip record. Absent: no AttestationRegistry is configured, or it does not count them. */
  readonly chipLogCount: ReadResult<bigint>;
}

/** Facts of the deployment, read at start and after a log that changes them (chain-evm 5.2). */
export interface DeploymentFacts {
  readonly localOrdinal: number;
  readonly graceSeconds: bigint;
  readonly runoffSeconds: bigint;
  readonly relocationEnabled: boolean;
  readonly generalPausedGlobal: boolean;
  readonly technicalPausedGlobal: boolean;
  readonly tierCount: number;
  readonly maxQueryLimit: number;
}
