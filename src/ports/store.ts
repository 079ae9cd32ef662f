/**
 * Storage port: one SQL database, SQLite or PostgreSQL, behind these interfaces (architecture, rules 4 and 5).
 * Implemented by `adapters/sql`; every implementation passes the tests of `testing/contracts`.
 * Every method throws `StoreUnavailable` when the database fails, without any text of the driver.
 */
import type { ChallengeLookup, ChallengeRecord } from '../domain/evidence/challenge-record.ts';
import type { AcceptedEvidenceRecord } from '../domain/evidence/evidence-record.ts';
import type { AcceptanceOutcome } from '../domain/evidence/evidence-steps.ts';
import type { Hex } from '../domain/evidence/signed-bytes.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { ActiveMachine } from '../domain/machine/active-machine.ts';
import type { BlockId } from '../domain/machine/machine-facts.ts';
import type { FactKind } from '../domain/machine/fact-log.ts';
import type { Provenance } from '../domain/machine/provenance.ts';
import type { DecisionLogHead, SignedLogHead } from '../domain/monetization/decision-log-head.ts';
import type { ProvenDecision } from '../domain/monetization/decision-log.ts';
import type { SignedDecision } from '../domain/monetization/decision.ts';
import type { StatementKey } from '../domain/statements/statement-keys.ts';
import type { ChangeStore, TouchedMachines } from './change-store.ts';
import type { DirectoryStore } from './directory-store.ts';
import type { AltEventStore, AltFleetStore } from './alt-store.ts';
import type { IndexProofStore, UnprovenWindow } from './index-proof.ts';
import type { EventLogRow } from './indexes.ts';
import type { NodeProfileStore } from './node-profiles.ts';
import type { ChipLogBody, EventGeneration, RegistryLogBody, RegistryLogGroup } from './main-chain.ts';
import type { PaymentStore } from './payment-store.ts';
import type { WebhookStore } from './webhooks.ts';

/** Position in a stream of blocks up to which everything is stored. */
export interface Checkpoint {
  readonly blockNumber: number;
  readonly blockHash: string;
}

export function toBlockId({ blockNumber: number, blockHash: hash }: Checkpoint): BlockId {
  return { number, hash };
}

/** One log of a machine's events or provenance, in chain order. */
export type EventLogEntry =
  | {
      readonly kind: 'submitted';
      readonly generation: EventGeneration;
      readonly machineId: MachineId;
      readonly eventIndex: bigint;
      readonly eventType: number;
      readonly value: bigint;
      readonly blockNumber: number;
      readonly blockTimestamp: number;
      readonly logIndex: number;
    }
  /** The machine's readable history restarts with the next log. */
  | {
      readonly kind: 'imported';
      readonly generation: EventGeneration;
      readonly machineId: MachineId;
      readonly blockNumber: number;
      readonly logIndex: number;
    }
  | RegistryLogEntry;

/** One log of the contracts of the second generation: it moves a token, sets a controller, or changes a chip record or another fact. */
export type RegistryLogEntry =
  | ChipLogEntry
  | (Exclude<RegistryLogBody, ChipLogBody> &
      RegistryLogPlace & { readonly transactionHash: string; readonly blockTimestamp: number });

interface RegistryLogPlace {
  readonly generation: 'current';
  readonly blockNumber: number;
  readonly logIndex: number;
}

/** Head of the main chain as a worker read it; every replica judges the index by it. */
export interface HeadObservation {
  readonly blockNumber: number;
  /** Clock milliseconds at which the read started. */
  readonly observedAtMilliseconds: number;
}

/** One log of a chip record. */
export type ChipLogEntry = ChipLogBody & RegistryLogPlace;

/** One transfer of a token, its mint and its burn included. */
export type TransferLogEntry = Extract<RegistryLogEntry, { readonly kind: 'transfer' }>;

/** One log of a controller, that of a mint included. */
export type ControllerLogEntry = Extract<RegistryLogEntry, { readonly kind: 'controller' | 'minted' }>;

/** One log of a fact. */
export type FactLogEntry = Extract<RegistryLogEntry, { readonly kind: FactKind }>;

/**
 * Largest number of registry logs with which a machine is rated and searched for payments. They are read for every rating that is not
 * cached, and an owner or controller can emit any number of them.
 */
export const MAX_MACHINE_LOGS = 10_000;

/** What the index holds about one machine. */
export interface IndexedMachine {
  readonly checkpoint: Checkpoint;
  /**
   * Whether ownership is that at the checkpoint, as far as its logs show; false while it is to be read because a log names the machine, or
   * some rows were read at a later block.
   */
  readonly isSettled: boolean;
  /** Epoch of its event history; 0 without one. */
  readonly epoch: number;
  readonly ownership: OwnershipChange;
  /** In chain order, up to the checkpoint. */
  readonly chipLogs: readonly ChipLogEntry[];
  /** In chain order, up to the checkpoint. */
  readonly transfers: readonly TransferLogEntry[];
  /** In chain order, up to the checkpoint. */
  readonly controllers: readonly ControllerLogEntry[];
  /** In chain order, up to the checkpoint. */
  readonly facts: readonly FactLogEntry[];
}

export interface MainChainIndexStore {
  /**
   * Stores the identity of the indexed deployment (chain id, registries, layout version) and its optional contracts, or compares them with the
   * stored ones. Returns false, and changes nothing, when the database holds the index of another deployment. While no block is stored, the first
   * claim of a process replaces what another one claimed.
   */
  claimMainChainIdentity(identity: string, optionalContracts: string): Promise<boolean>;
  readMainChainCheckpoint(): Promise<Checkpoint | undefined>;
  /**
   * Stores the logs of the blocks after `expected` up to `next`, the ownership read at `next` that they may have changed, and `next`
   * itself, in one transaction.
   * Returns false, and stores nothing, when the stored checkpoint is not `expected` (another process was first), and for a first checkpoint
   * when another process replaced the claim of this one.
   * Assigns positions (`seq`): they count a machine's submitted logs from 0 and restart after every import. Judges each by the provenance
   * before it. Without `unproven` the blocks become a proof segment of headers. Machines of `touched` become due for observation.
   */
  advanceMainChain(
    expected: Checkpoint | undefined,
    next: Checkpoint,
    logs: readonly EventLogEntry[],
    ownership: OwnershipReads,
    unproven?: UnprovenWindow,
    touched?: TouchedMachines,
  ): Promise<boolean>;
  /**
   * Returns the machine at one state of the index; undefined before the first checkpoint, and for a machine with more than
   * `MAX_MACHINE_LOGS` logs.
   */
  readIndexedMachine(id: MachineId): Promise<IndexedMachine | undefined>;
  /**
   * Replaces the logs of one group of a machine in the blocks up to `throughBlock`, judges its events again, and begins a new epoch. The
   * machine becomes due for observation. Returns false, and stores nothing, when the history is no longer of this epoch.
   */
  replaceRegistryLogs(
    group: RegistryLogGroup,
    id: MachineId,
    throughBlock: number,
    logs: readonly RegistryLogEntry[],
    expectedEpoch: number,
  ): Promise<boolean>;
  /**
   * Replaces the event logs of a machine by all its event logs up to the checkpoint, in chain order, as a new epoch. Returns false, and stores nothing,
   * when the checkpoint is no longer `checkpoint`, and when the history is no longer of this epoch.
   */
  replaceEventLogs(
    checkpoint: Checkpoint,
    generation: EventGeneration,
    id: MachineId,
    logs: readonly EventLogEntry[],
    expectedEpoch: number,
  ): Promise<boolean>;
  /** Lists machines with a token or events in order of id, after `after`, with their number of known logs since the last import. */
  listEventCounts(
    after: MachineId | undefined,
    limit: number,
  ): Promise<{
    readonly checkpoint: Checkpoint | undefined;
    readonly counts: readonly { readonly id: MachineId; readonly count: number }[];
  }>;
  /** Returns the number of logs of the current generation at the checkpoint, those before an import included. */
  readEventTotal(): Promise<{ readonly checkpoint: Checkpoint; readonly total: number } | undefined>;
  /** Stores the observation unless the stored one is newer. */
  writeHeadObservation(observation: HeadObservation): Promise<void>;
  readHeadObservation(): Promise<HeadObservation | undefined>;
  /**
   * Returns the rows at positions `from` to `to - 1` since the last import, in order; fewer when fewer are known, and none of unknown
   * block time.
   */
  listEventLogs(generation: EventGeneration, id: MachineId, from: number, to: number): Promise<EventLogRow[]>;
  /**
   * Returns the history of a machine as of the checkpoint, from one consistent read: its rows are those of `listEventLogs`. Undefined
   * before the first checkpoint, and where `readProvenance` is.
   */
  readEventHistory(
    generation: EventGeneration,
    id: MachineId,
    from: number,
    to: number,
  ): Promise<IndexedHistory | undefined>;
  /** Returns the number of known logs since the last import, and the number of imports and replacements (`epoch`). */
  readEventLogCount(
    generation: EventGeneration,
    id: MachineId,
  ): Promise<{ readonly count: number; readonly epoch: number }>;
  /**
   * Returns the provenance of a machine of the second generation at the checkpoint; undefined while the block time of one of its events or
   * transfers is unknown, and for a machine with more than `MAX_MACHINE_LOGS` logs.
   */
  readProvenance(id: MachineId): Promise<Provenance | undefined>;
  /** Returns the machines of the second generation with the newest logs, newest first; at most `limit`, and `MAX_ACTIVE_MACHINES`. */
  listActiveMachines(limit: number): Promise<readonly ActiveMachine[]>;
  /**
   * Returns the machines with more known logs than folded events under `ratesFingerprint`, and those with many logs whose days end before
   * the last of them; at most `limit`, in order of id, after `after`.
   */
  listUnfolded(
    ratesFingerprint: string,
    limit: number,
    after?: { readonly generation: EventGeneration; readonly id: MachineId },
  ): Promise<
    { readonly generation: EventGeneration; readonly id: MachineId; readonly count: number; readonly epoch: number }[]
  >;
}

/** Event history of one machine at the checkpoint, with some of its rows. */
export interface IndexedHistory {
  readonly checkpoint: Checkpoint;
  /** Number of logs since the last import. */
  readonly count: number;
  /** Number of imports and replacements. */
  readonly epoch: number;
  /** That of a legacy machine is `NO_PROVENANCE`. */
  readonly provenance: Provenance;
  readonly rows: readonly EventLogRow[];
}

/** Ownership of one machine at the last block of a window. */
export type OwnershipChange =
  | { readonly kind: 'held'; readonly id: MachineId; readonly owner: Address; readonly controller: Address | undefined }
  /** A token here of a machine homed elsewhere: it counts for its owner and is not listed. */
  | { readonly kind: 'away'; readonly id: MachineId; readonly owner: Address }
  /** No token here: retired, bridged out or reissued. */
  | { readonly kind: 'gone'; readonly id: MachineId };

/** Ownership reads of the machines that the logs of a range name. */
export interface OwnershipReads {
  /** Block of the reads: the last of the range, or a later one where its state may be pruned. */
  readonly readAtBlock: number;
  readonly changes: readonly OwnershipChange[];
}

/** Tokens that the index holds for an address, to be compared with `balanceOf`. */
export interface IndexedTokens {
  /** Includes tokens of machines homed elsewhere. */
  readonly count: number;
  readonly checkpoint: Checkpoint;
}

export interface OwnershipPage {
  /** Block of all rows; undefined while some were read at a block that the index has not reached. */
  readonly indexedBlock: number | undefined;
  /** Undefined while `indexedBlock` is. */
  readonly tokens: IndexedTokens | undefined;
  /** Number of machines that the address owns or controls. */
  readonly total: number;
  /** Ascending as numbers. */
  readonly ids: readonly MachineId[];
}

/** Owners and controllers of machines on the main chain, as of the index's checkpoint (chain-evm 4). */
export interface OwnershipStore {
  /**
   * Lists machines that the address owns or controls, each once, from one consistent read. The cost does not depend on the offset.
   */
  listOwnership(address: Address, offset: number, limit: number): Promise<OwnershipPage>;
  /**
   * Replaces the ownership of machines that were read again at the checkpoint. Returns false, and stores nothing, when the checkpoint is
   * no longer `checkpoint`, and until it has reached the block of all other rows.
   */
  repairOwnership(checkpoint: Checkpoint, changes: readonly OwnershipChange[]): Promise<boolean>;
}

/** Stored rating state of a machine. `state` is the serialized state of `domain/rating`. */
export interface StoredRatingState {
  readonly epoch: number;
  readonly nextSeq: number;
  readonly state: string;
}

/** A day of the rating state of a machine with many events (`domain/rating/rating-state-days.ts`). `state` is the serialized day. */
export interface StoredRatingStateDay {
  /** UTC day number. */
  readonly day: number;
  /** Position after the day's last event. */
  readonly nextSeq: number;
  readonly state: string;
}

/** Days that continue the stored ones, which end at position `afterSeq` (0 without any). */
export interface RatingStateDaysWrite {
  readonly afterSeq: number;
  readonly days: readonly StoredRatingStateDay[];
}

export interface StoredRatingStateDays {
  readonly epoch: number;
  /** Oldest first. */
  readonly days: readonly StoredRatingStateDay[];
}

export interface RatingStateWrite extends StoredRatingState {
  readonly generation: EventGeneration;
  readonly id: MachineId;
  /** Days up to `nextSeq`; absent where none are stored for the machine, or where they do not continue the stored ones. */
  readonly days?: RatingStateDaysWrite | undefined;
}

export interface RatingStateStore {
  /** Returns the state of the history since the last import under this configuration of rates; undefined without one. */
  readRatingState(
    generation: EventGeneration,
    id: MachineId,
    ratesFingerprint: string,
  ): Promise<StoredRatingState | undefined>;
  /** Returns the newest `limit` days of the same history and rates. */
  listRatingStateDays(
    generation: EventGeneration,
    id: MachineId,
    ratesFingerprint: string,
    limit: number,
  ): Promise<StoredRatingStateDays>;
  /**
   * Stores rating states; skips one that would move `(epoch, nextSeq)` of its machine backwards under the same fingerprint, and days that
   * do not continue the stored ones. Deletes days that no history needs any more.
   */
  writeRatingStates(ratesFingerprint: string, states: readonly RatingStateWrite[]): Promise<void>;
}

export interface FxRateRow {
  readonly currency: string;
  /** UTC day number. */
  readonly day: number;
  /** USD per whole unit x 10^12. */
  readonly rate: bigint;
}

export interface FxStore {
  loadRates(): Promise<{ readonly rows: readonly FxRateRow[]; readonly throughDay: number | undefined }>;
  /** Adds rows of days after the stored `throughDay` and advances it, in one transaction. Stored rates never change. */
  appendRates(rows: readonly FxRateRow[], throughDay: number): Promise<void>;
}

/** Decision to put in force, with what proves it. */
export interface AppliedDecision extends ProvenDecision {
  /** Clock of the service. */
  readonly appliedAtMilliseconds: number;
}

/** What proves a logged decision, and its place in the machine's chain. */
export interface DecisionRecord extends Pick<ProvenDecision, 'message' | 'authority'> {
  /** Hash of the row before; undefined: the first of the chain. */
  readonly previous: string | undefined;
  readonly hash: string;
}

/** Row of the decision log. */
export interface LoggedDecision extends Pick<
  AppliedDecision,
  keyof SignedDecision | 'signature' | 'appliedAtMilliseconds'
> {
  /** Undefined: the row is older than the chain, and nothing proves it. */
  readonly record: DecisionRecord | undefined;
}

/** Rows of one machine at one state of its log. */
export interface DecisionLogPage {
  /** Newest first. */
  readonly decisions: readonly LoggedDecision[];
  /** Hash of the newest row; undefined: no row is chained. */
  readonly head: string | undefined;
  /** Signed head of the rows that were pruned; undefined: none was. */
  readonly checkpoint: SignedLogHead | undefined;
}

/** Pruning of a machine's rows, in the transaction that applies a decision. */
export interface DecisionRetention {
  /** Unix second; rows signed at it or later are retained. */
  readonly from: number;
  /** Number of rows that are retained whatever their age. */
  readonly newest: number;
  /** Signs the head of the pruned rows. */
  readonly sign: (pruned: Pick<DecisionLogHead, 'hash' | 'count'>) => SignedLogHead;
}

/** Monetization decisions in force, and their log ("Monetization opt-in" of the interface; architecture, rule 4; design/provable 2). */
export interface DecisionStore {
  /** Returns the decision in force; undefined without one. */
  readDecision(id: MachineId): Promise<SignedDecision | undefined>;
  /**
   * Puts a decision in force and appends it to the machine's chain, if its timestamp is strictly newer than that of the one in force; one
   * statement compares and writes. Returns true when both are on disk; false, with nothing stored, when it is not newer. Without
   * `retention` nothing is pruned.
   */
  applyDecision(decision: AppliedDecision, retention?: DecisionRetention): Promise<boolean>;
  /** Returns the newest rows signed at the Unix second `through` or earlier. */
  listDecisions(id: MachineId, page: { readonly through: number; readonly limit: number }): Promise<DecisionLogPage>;
}

export interface NewChallenge extends Omit<ChallengeRecord, 'consumedBy'> {
  readonly issuedAt: number;
}

/** Limits on open challenges: neither consumed nor expired. */
export interface ChallengeCaps {
  readonly perMachine: number;
  readonly total: number;
}

/** Evidence record as stored, without the document where a deployment stores hashes only. */
export interface StoredEvidenceRecord extends Omit<AcceptedEvidenceRecord, 'evidence'> {
  readonly evidence: Uint8Array | undefined;
}

/** Review of one change of the attestation registry (design/provable 4). */
export interface AttestationReview {
  readonly transaction: Hex;
  readonly change: string;
  /** Undefined: the change is not based on evidence. */
  readonly receiptId: Hex | undefined;
  /** DID of the machine, or address of the operator. */
  readonly subject: string;
  readonly reviewer: string;
  readonly reason: string | undefined;
  /** Unix seconds; 0 means never, undefined that the change sets none. */
  readonly expiresAt: number | undefined;
  /** Operator of the machine at the time of the review. */
  readonly operator: Address | undefined;
  /** Unix seconds. */
  readonly reviewedAt: number;
}

/** Challenges and evidence records (evidence 4, 8 and 11; architecture, rule 4). Times in Unix seconds. Stores the hash of a nonce only. */
export interface ChipStore {
  /** Stores the challenge unless a cap is reached at `issuedAt`; counts and inserts atomically. Returns false when a cap is reached. */
  insertChallenge(challenge: NewChallenge, caps: ChallengeCaps): Promise<boolean>;
  /** Looks a challenge up; `evidenceHash` detects a replay after its deletion. */
  findChallenge(nonceHash: Hex, evidenceHash: Hex): Promise<ChallengeLookup>;
  /**
   * Consumes the challenge if it is unconsumed and unexpired at the record's `receivedAt`, and stores the record, in one transaction.
   * Otherwise writes nothing and returns the challenge as it is.
   */
  consumeChallenge(nonceHash: Hex, record: StoredEvidenceRecord): Promise<AcceptanceOutcome>;
  /** Deletes challenges that expired an hour ago, and consumed ones after 30 days. Evidence records stay. */
  deleteOldChallenges(nowSeconds: number): Promise<number>;
  /** Counts challenges that are neither consumed nor expired. */
  countOpenChallenges(nowSeconds: number): Promise<number>;
  /** Lists evidence records of one machine or of all, newest first. */
  listEvidenceRecords(machineId: MachineId | undefined, limit: number): Promise<StoredEvidenceRecord[]>;
  readEvidenceRecord(receiptId: Hex): Promise<StoredEvidenceRecord | undefined>;
  insertAttestationReview(review: AttestationReview): Promise<void>;
  /** Lists the reviews of a subject, newest first. */
  listAttestationReviews(subject: string): Promise<AttestationReview[]>;
}

/** Keys of rating statements, kept for ever so that old statements verify (design/provable 1). Times in Unix seconds. */
export interface StatementKeyStore {
  /**
   * Records the keys of a starting process, in one transaction: the signing key is in use from `nowSeconds` on, unless it was before; keys
   * that were in use are so until `lastSecond`; announced keys are added. A revocation stays.
   */
  recordStatementKeys(
    keys: { readonly signing: Address; readonly announced: readonly Address[] },
    times: { readonly nowSeconds: number; readonly lastSecond: number },
  ): Promise<void>;
  /** Returns all keys in the order in which they were added. */
  listStatementKeys(): Promise<StatementKey[]>;
  /** Revokes a key; the first revocation stays. Returns false, and stores nothing, for an unknown key. */
  revokeStatementKey(address: Address, nowSeconds: number): Promise<boolean>;
}

/** The whole database: every store above, and what concerns all of them. */
export interface Store
  extends
    MainChainIndexStore,
    IndexProofStore,
    OwnershipStore,
    RatingStateStore,
    FxStore,
    DecisionStore,
    ChipStore,
    PaymentStore,
    ChangeStore,
    DirectoryStore,
    WebhookStore,
    StatementKeyStore,
    AltEventStore,
    AltFleetStore,
    NodeProfileStore {
  /** Returns all claimed identities as one text; equal for databases that index the same deployments. */
  readIdentities(): Promise<string>;
  /** Checks that the database accepts a write; throws otherwise. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/** Reads that a replica may serve: each is consistent and names the block up to which it is indexed, so that lag is detected. */
export type ListStore = Pick<OwnershipStore, 'listOwnership'> & Pick<AltFleetStore, 'listFleet'>;

/** Read replica for listings, behind a circuit breaker: it may lag, fail or not respond. */
export interface ReadReplica {
  /** Returns what `list` reads there if `isFit` accepts it; undefined: read from the store itself. */
  tryReplica<T>(list: (replica: ListStore) => Promise<T>, isFit: (page: T) => boolean): Promise<T | undefined>;
}
