/** Ports of the indexes: their progress, and what they know of events and fleets. Implemented by `indexing/`. */
import type { AltMachineSnapshot } from '../domain/alt-chain/alt-machine-facts.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { BlockRef, EventRecord } from '../domain/machine/machine-facts.ts';
import type { EventEvidence, Provenance } from '../domain/machine/provenance.ts';
import type { DayHistory } from '../domain/rating/daily-rating.ts';
import type { RatingEvent } from '../domain/rating/event.ts';
import type { RatingState } from '../domain/rating/rating-state.ts';
import type { EventGeneration } from './main-chain.ts';

/** Progress of the main-chain index, read per request; freshness is judged from it and the clock (architecture, rule 6). */
export interface MainChainIndexStatus {
  /** Last block whose logs are stored; undefined before the first commit. */
  readonly indexedBlock: number | undefined;
  /** `latest` as the worker last read it; undefined before the first read. */
  readonly headBlock: number | undefined;
  /** Clock milliseconds of that reading. */
  readonly headObservedAtMilliseconds: number | undefined;
}

export interface IndexStatus {
  /** Throws `ChainUnreadable` while the stored index is rejected because it belongs to another chain or deployment; and `StoreUnavailable`. */
  readMainChainIndex(): Promise<MainChainIndexStatus>;
}

/** Log of the record at position `seq`; `eventType`, `value` and `eventIndex` prove that both belong together. */
export interface EventLogRow extends EventEvidence {
  readonly seq: number;
  readonly eventIndex: bigint;
  readonly eventType: number;
  readonly value: bigint;
  readonly blockNumber: number;
  readonly blockTimestamp: number;
}

/** A machine as of one block. */
export interface PinnedMachine {
  readonly generation: EventGeneration;
  readonly id: MachineId;
  readonly block: BlockRef;
}

/** History of a machine as of one block, without its events. */
export interface PinnedHistory {
  readonly epoch: number;
  readonly provenance: Provenance;
}

export interface EventLogQuery extends PinnedMachine {
  /** Position of the first record. */
  readonly from: number;
  /** Position after the last record. */
  readonly to: number;
  /** Whether the history was restarted at least once, possibly after what is stored. */
  readonly hasPriorEvents: boolean;
}

/**
 * Block times of a machine's events, which only the logs contain (chain-evm 3.7). Combines the stored index up to the finalized block
 * with the head follower above it.
 */
export interface EventTimes {
  /**
   * Returns the logs of the records at positions `from` to `to - 1`, as of `block`.
   * Throws `EventIndexSyncing` while not all logs are known, `ChainUnreadable` when the node cannot be read.
   */
  readEventLogs(query: EventLogQuery): Promise<readonly EventLogRow[]>;

  /**
   * Returns how many imports the machine had as of `block`, each of which restarts the history, and its provenance. Also proves that the
   * stored logs belong to the chain of the block: throws `EventIndexSyncing` while it cannot, `ChainUnreadable` when they do not.
   */
  readPinnedHistory(machine: PinnedMachine): Promise<PinnedHistory>;
}

/** Events of one machine's current incarnation, as input of the model. */
export interface AltHistoryRead {
  /**
   * Whether these are all events that the machine's log account counts. False: the rating is unavailable, and these are the events
   * indexed so far.
   */
  readonly isComplete: boolean;
  readonly state: RatingState;
  /** All events after the state. */
  readonly tail: readonly RatingEvent[];
}

/** Progress of the alt chain's event index, for `/ready`. */
export interface AltIndexStatus {
  /** The node serves the whole history, and everything listed is applied. */
  readonly isReady: boolean;
  /** Finalized slot up to which everything is applied; undefined before the first one. */
  readonly slot: number | undefined;
  /** Clock milliseconds at which the slot was read. */
  readonly observedAtMilliseconds: number | undefined;
}

/** Index of the alt chain's events (chain-svm 6). */
export interface AltIndex {
  /**
   * Returns the events up to exactly the count of the snapshot's log account. Throws `ChainUnreadable{alt, events}` when the stored last
   * record contradicts the account's, `StoreUnavailable`.
   */
  readHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<AltHistoryRead>;
  /**
   * Returns the records at positions `from` to `to - 1` of the current incarnation, with the events of the model; fewer when fewer are
   * known, and none when the last event of the log account is another one. Only where that last event is known are all records of this
   * incarnation.
   */
  readEvents(
    snapshot: AltMachineSnapshot,
    from: number,
    to: number,
  ): Promise<{ readonly records: readonly EventRecord[]; readonly events: readonly RatingEvent[] }>;
  /**
   * Returns all events up to the count of the snapshot's log account, as far as possible as stored days; undefined where too many would
   * have to be read, or where they are not proven to be the events that the account counts.
   */
  readDayHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<DayHistory | undefined>;
  readStatus(): Promise<AltIndexStatus>;
}
