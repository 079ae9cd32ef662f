/**
 * What does the service remember? One SQL database, SQLite or PostgreSQL, behind these interfaces (architecture, rules 4 and 5).
 * Implemented by `adapters/sql`; every implementation passes `adapters/sql/store-contract.ts`.
 * Every method throws `StoreUnavailable` when the database fails, and nothing of the driver's message with it.
 */
import type { ChallengeLookup, ChallengeRecord } from '../domain/evidence/challenge-record.ts';
import type { AcceptedEvidenceRecord } from '../domain/evidence/evidence-record.ts';
import type { AcceptanceOutcome } from '../domain/evidence/evidence-steps.ts';
import type { Hex } from '../domain/evidence/signed-bytes.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { ActiveMachine } from '../domain/machine/active-machine.ts';
import type { SignedDecision } from '../domain/monetization/decision.ts';
import type { AltEventStore, AltFleetStore } from './alt-store.ts';
import type { EventLogRow } from './indexes.ts';
import type { EventGeneration } from './main-chain.ts';

/** How far a stream of blocks has been taken over. */
export interface Checkpoint {
  readonly blockNumber: number;
  readonly blockHash: string;
}

/** One log of an event registry, in chain order. */
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
  /** The machine's readable history starts anew with the next log. */
  | {
      readonly kind: 'imported';
      readonly generation: EventGeneration;
      readonly machineId: MachineId;
      readonly blockNumber: number;
      readonly logIndex: number;
    };

/** The head of the main chain as a worker read it, for every replica to judge the index by. */
export interface HeadObservation {
  readonly blockNumber: number;
  /** Clock milliseconds at which it was asked for. */
  readonly observedAtMilliseconds: number;
}

export interface MainChainIndexStore {
  /**
   * Records what the stored rows belong to (chain id, registries, layout version), or compares it with what is recorded.
   * False: the database holds the index of another deployment, and nothing was changed.
   */
  claimMainChainIdentity(identity: string): Promise<boolean>;
  readMainChainCheckpoint(): Promise<Checkpoint | undefined>;
  /**
   * Stores the logs of the blocks after `expected` up to `next`, what was read at `next` about the machines whose ownership they
   * may have changed, and `next` itself, in one transaction.
   * False, and nothing stored: the recorded checkpoint is not `expected` (another process was first).
   * Positions (`seq`) are given here: they count a machine's submitted logs from 0, anew after every import.
   */
  advanceMainChain(
    expected: Checkpoint | undefined,
    next: Checkpoint,
    logs: readonly EventLogEntry[],
    ownership: OwnershipReads,
  ): Promise<boolean>;
  /** Keeps the observation, unless the one kept was made later. */
  writeHeadObservation(observation: HeadObservation): Promise<void>;
  readHeadObservation(): Promise<HeadObservation | undefined>;
  /** Rows at positions `from` to `to - 1` since the last import, in order; fewer when fewer are known. */
  listEventLogs(generation: EventGeneration, id: MachineId, from: number, to: number): Promise<EventLogRow[]>;
  /** How many logs since the last import are known, and how many imports there were. */
  readEventLogCount(
    generation: EventGeneration,
    id: MachineId,
  ): Promise<{ readonly count: number; readonly epoch: number }>;
  /** Those of the second generation whose newest known logs are the newest, that one first; at most `limit`, and `MAX_ACTIVE_MACHINES`. */
  listActiveMachines(limit: number): Promise<readonly ActiveMachine[]>;
  /**
   * Machines with more known logs than folded events under `ratesFingerprint`, and those with many logs whose days end before the last of them; at most
   * `limit`, in order of id, after `after`.
   */
  listUnfolded(
    ratesFingerprint: string,
    limit: number,
    after?: { readonly generation: EventGeneration; readonly id: MachineId },
  ): Promise<
    { readonly generation: EventGeneration; readonly id: MachineId; readonly count: number; readonly epoch: number }[]
  >;
}

/** A machine's rating fold. `state` is the serialized fold of `domain/rating`. */
export interface StoredRatingState {
  readonly epoch: number;
  readonly nextSeq: number;
  readonly state: string;
}

/** A day of the fold of a machine with many events (`domain/rating/fold-days.ts`). `state` is the serialized day. */
export interface StoredRatingStateDay {
  /** UTC day number. */
  readonly day: number;
  /** The position after the day's last event; that of the newest day is where its machine's days end. */
  readonly nextSeq: number;
  readonly state: string;
}

/** The days that go on where those of the machine end, at the position `afterSeq`; 0 where there are none. */
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
  /** Up to `nextSeq`; left out: none are kept of the machine, or they do not end where this begins. */
  readonly days?: RatingStateDaysWrite | undefined;
}

export interface RatingStateStore {
  /** The fold of the history since the last import, kept under this configuration of rates; undefined when there is none. */
  readRatingState(
    generation: EventGeneration,
    id: MachineId,
    ratesFingerprint: string,
  ): Promise<StoredRatingState | undefined>;
  /** Of the same history and rates, the newest `limit` days. */
  listRatingStateDays(
    generation: EventGeneration,
    id: MachineId,
    ratesFingerprint: string,
    limit: number,
  ): Promise<StoredRatingStateDays>;
  /**
   * Keeps folds; one that would move `(epoch, nextSeq)` of its machine backwards under the same fingerprint is left out. So are days that do not begin
   * where those that are kept end; days that no history needs any more are forgotten.
   */
  writeRatingStates(ratesFingerprint: string, folds: readonly RatingStateWrite[]): Promise<void>;
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
  /** Adds rows of days after the stored `throughDay` and moves it, in one transaction; what is covered already never changes. */
  appendRates(rows: readonly FxRateRow[], throughDay: number): Promise<void>;
}

export interface Store
  extends
    MainChainIndexStore,
    OwnershipStore,
    RatingStateStore,
    FxStore,
    DecisionStore,
    ChipStore,
    AltEventStore,
    AltFleetStore {
  /** All that indexes claimed, as one text; equal for databases whose indexes are of the same deployments. */
  readIdentities(): Promise<string>;
  /** Proves that the database takes a write; throws otherwise. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What has been decided about a machine's monetization, by whom, and which decisions came before? ("Monetization opt-in" of the
 * interface; architecture, rule 4.) Implemented by `adapters/sql` as a part of `Store`.
 */

/** A decision as the audit keeps it: with it and the deployment anyone can check the signature again. */
export interface AppliedDecision extends SignedDecision {
  /** As it was sent. */
  readonly signature: string;
  /** The service's clock. */
  readonly appliedAtMilliseconds: number;
}

export interface DecisionStore {
  /** The decision in force; undefined when there was none. */
  readDecision(id: MachineId): Promise<SignedDecision | undefined>;
  /**
   * Puts a decision in force, and into the audit, if its timestamp is strictly newer than that of the one in force; one statement
   * compares and writes. True: both are on disk. False: it is not newer, and nothing was stored.
   */
  applyDecision(decision: AppliedDecision): Promise<boolean>;
  /** Every decision that was ever in force, oldest first. */
  listAppliedDecisions(id: MachineId): Promise<AppliedDecision[]>;
}

/**
 * Which challenges are open, which documents were accepted for them? (evidence 4, 8 and 11; architecture, rule 4.) Implemented by
 * `adapters/sql` as a part of `Store`. Times in Unix seconds. A nonce never comes here: only its hash.
 */

export interface NewChallenge extends Omit<ChallengeRecord, 'consumedBy'> {
  readonly issuedAt: number;
}

/** How many challenges may be open at once: neither consumed nor expired. */
export interface ChallengeCaps {
  readonly perMachine: number;
  readonly inAll: number;
}

/** As it is kept: without the document where a deployment keeps hashes only. */
export interface StoredEvidenceRecord extends Omit<AcceptedEvidenceRecord, 'evidence'> {
  readonly evidence: Uint8Array | undefined;
}

export interface ChipStore {
  /** Keeps the challenge unless a cap is reached at `issuedAt`; counting and keeping are one. False: a cap is reached. */
  insertChallenge(challenge: NewChallenge, caps: ChallengeCaps): Promise<boolean>;
  /** `evidenceHash` tells a replay where the challenge itself is deleted. */
  findChallenge(nonceHash: Hex, evidenceHash: Hex): Promise<ChallengeLookup>;
  /**
   * Consumes the challenge if it is unconsumed and unexpired at the intake's `receivedAt`, and keeps the intake, in one transaction.
   * Otherwise writes nothing, and tells what is there.
   */
  consumeChallenge(nonceHash: Hex, intake: StoredEvidenceRecord): Promise<AcceptanceOutcome>;
  /** Deletes challenges that expired an hour ago, and consumed ones after 30 days; intakes stay. */
  deleteOldChallenges(nowSeconds: number): Promise<number>;
  /** Neither consumed nor expired. */
  countOpenChallenges(nowSeconds: number): Promise<number>;
  /** Newest first; of one machine, or of all. */
  listEvidenceRecords(machineId: MachineId | undefined, limit: number): Promise<StoredEvidenceRecord[]>;
  readEvidenceRecord(receiptId: Hex): Promise<StoredEvidenceRecord | undefined>;
}

/**
 * Who owns or controls which machines of the main chain? Rows that the index decided by reads, as of its checkpoint (chain-evm 4).
 * Implemented by `adapters/sql` as a part of `Store`.
 */

/** What the chain says about one machine at the last block of a window. */
export type OwnershipChange =
  | { readonly kind: 'held'; readonly id: MachineId; readonly owner: Address; readonly controller: Address | undefined }
  /** No token here: retired, bridged out, reissued. */
  | { readonly kind: 'gone'; readonly id: MachineId };

/** What was read about the machines that the logs of a range name. */
export interface OwnershipReads {
  /** The block they were read at: the last of the range or, where its state may be gone, a later one. */
  readonly readAtBlock: number;
  readonly changes: readonly OwnershipChange[];
}

export interface OwnershipPage {
  /** The block that all rows are of; undefined while some were read at a block that the index has not reached. */
  readonly indexedBlock: number | undefined;
  /** How many machines the address owns or controls. */
  readonly total: number;
  /** Ascending as numbers. */
  readonly ids: readonly MachineId[];
}

export interface OwnershipStore {
  /** One entry per machine, also when the address both owns and controls it; all of one state of the rows. Costs the same at every offset. */
  listOwnership(address: Address, offset: number, limit: number): Promise<OwnershipPage>;
}

/**
 * What is a page of a list made of? The two reads that a copy of the database may answer as well, each of one state of the rows and with the block up to which they are
 * indexed, so that a copy which lags is seen to.
 */

export type ListStore = Pick<OwnershipStore, 'listOwnership'> & Pick<AltFleetStore, 'listFleet'>;

/** A copy of the store's lists, which may lag, fail or fall silent, and is left alone for a while when it does. */
export interface ReadReplica {
  /** What `list` reads there, if `isFit` says so of it. Undefined: to be read from the store itself. */
  tryReplica<T>(list: (copy: ListStore) => Promise<T>, isFit: (page: T) => boolean): Promise<T | undefined>;
}
