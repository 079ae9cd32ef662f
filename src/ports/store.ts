/**
 * What does the service remember? One SQL database, SQLite or PostgreSQL, behind these interfaces (architecture, rules 4 and 5).
 * Implemented by `adapters/sql`; every implementation passes `adapters/sql/store-contract.ts`.
 * Every method throws `StoreUnavailable` when the database fails, and nothing of the driver's message with it.
 */
import type { ActiveMachine } from '../domain/active-machine.ts';
import type { MachineId } from '../domain/identifiers.ts';
import type { AltEventStore } from './alt-event-store.ts';
import type { AltFleetStore } from './alt-fleet-store.ts';
import type { ChipStore } from './chip-store.ts';
import type { DecisionStore } from './decision-store.ts';
import type { EventLogRow } from './event-times.ts';
import type { EventGeneration } from './main-chain-log.ts';
import type { OwnershipReads, OwnershipStore } from './ownership-store.ts';

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
  /** Those of the second generation whose newest known logs are the newest, that one first; at most `limit`, and `MOST_ACTIVE_MACHINES`. */
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
export interface StoredFold {
  readonly epoch: number;
  readonly nextSeq: number;
  readonly state: string;
}

/** A day of the fold of a machine with many events (`domain/rating/fold-days.ts`). `state` is the serialized day. */
export interface StoredFoldDay {
  /** UTC day number. */
  readonly day: number;
  /** The position after the day's last event; that of the newest day is where its machine's days end. */
  readonly nextSeq: number;
  readonly state: string;
}

/** The days that go on where those of the machine end, at the position `afterSeq`; 0 where there are none. */
export interface FoldDaysWrite {
  readonly afterSeq: number;
  readonly days: readonly StoredFoldDay[];
}

export interface StoredFoldDays {
  readonly epoch: number;
  /** Oldest first. */
  readonly days: readonly StoredFoldDay[];
}

export interface FoldWrite extends StoredFold {
  readonly generation: EventGeneration;
  readonly id: MachineId;
  /** Up to `nextSeq`; left out: none are kept of the machine, or they do not end where this begins. */
  readonly days?: FoldDaysWrite | undefined;
}

export interface FoldStore {
  /** The fold of the history since the last import, kept under this configuration of rates; undefined when there is none. */
  readFold(generation: EventGeneration, id: MachineId, ratesFingerprint: string): Promise<StoredFold | undefined>;
  /** Of the same history and rates, the newest `limit` days. */
  listFoldDays(
    generation: EventGeneration,
    id: MachineId,
    ratesFingerprint: string,
    limit: number,
  ): Promise<StoredFoldDays>;
  /**
   * Keeps folds; one that would move `(epoch, nextSeq)` of its machine backwards under the same fingerprint is left out. So are days that do not begin
   * where those that are kept end; days that no history needs any more are forgotten.
   */
  writeFolds(ratesFingerprint: string, folds: readonly FoldWrite[]): Promise<void>;
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
    FoldStore,
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
