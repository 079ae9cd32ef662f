/** Ports of the indexes: how far they are, and what they know of events and fleets. Implemented by `indexing/`. */
import type { AltMachineSnapshot } from '../domain/alt-chain/alt-machine-facts.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { BlockRef, EventRecord } from '../domain/machine/machine-facts.ts';
import type { DayHistory } from '../domain/rating/daily-rating.ts';
import type { RatingEvent } from '../domain/rating/event.ts';
import type { RatingState } from '../domain/rating/rating-state.ts';
import type { EventGeneration } from './main-chain.ts';

/** How far are the indexes? Asked at request time; freshness is judged from this and the clock (architecture, rule 6). */
export interface MainChainIndexStatus {
  /** Last block whose logs are stored; undefined before the first commit. */
  readonly indexedBlock: number | undefined;
  /** `latest` as the worker last read it; undefined before it was ever read. */
  readonly headBlock: number | undefined;
  /** Clock milliseconds of that reading. */
  readonly headObservedAtMilliseconds: number | undefined;
}

export interface IndexStatus {
  /** Throws `ChainUnreadable` while the stored index is refused, because it is of another chain or deployment; and `StoreUnavailable`. */
  readMainChainIndex(): Promise<MainChainIndexStatus>;
}

/**
 * In which blocks were a machine's events stored? (chain-evm 3.7.) A record does not say; its log does.
 * Implemented by `indexers/`, from the stored index up to the finalized block and the head follower above it.
 */

/** The log of the record at position `seq`; `eventType`, `value` and `eventIndex` serve to prove that they belong together. */
export interface EventLogRow {
  readonly seq: number;
  readonly eventIndex: bigint;
  readonly eventType: number;
  readonly value: bigint;
  readonly blockNumber: number;
  readonly blockTimestamp: number;
}

export interface EventTimes {
  /**
   * The logs of the records at positions `from` to `to - 1`, as of `block`.
   * `hasPriorEvents`: its history has begun anew at least once, and may have since what is stored.
   * Throws `EventIndexSyncing` while not all of them are known, `ChainUnreadable` when the node cannot be read.
   */
  readEventLogs(
    generation: EventGeneration,
    id: MachineId,
    from: number,
    to: number,
    block: BlockRef,
    hasPriorEvents: boolean,
  ): Promise<readonly EventLogRow[]>;

  /**
   * How many imports the machine had as of `block`: each begins the history anew. Proves as well that what is stored belongs to the chain of
   * the block; throws `EventIndexSyncing` while it cannot, `ChainUnreadable` when it does not.
   */
  readEventEpoch(generation: EventGeneration, id: MachineId, block: BlockRef): Promise<number>;
}

/**
 * What is known of the alt chain's events and fleets? (chain-svm 6 and 7.) Implemented by `indexers/`, over what the store keeps.
 */

/** Events of one machine's current incarnation, ready for the model. */
export interface AltHistoryRead {
  /**
   * Whether these are all events that the machine's log account counts. False: the rating is unavailable, and what is here are the
   * events indexed so far.
   */
  readonly isComplete: boolean;
  readonly state: RatingState;
  /** All events after the fold. */
  readonly tail: readonly RatingEvent[];
}

/** How far the index of events is, for `/ready`. */
export interface AltIndexStatus {
  /** The history is served whole by the node, and everything listed is applied. */
  readonly isReady: boolean;
  /** Finalized slot as of which everything is applied; undefined before the first time. */
  readonly slot: number | undefined;
  /** Clock milliseconds at which that slot was read. */
  readonly observedAtMilliseconds: number | undefined;
}

export interface AltIndex {
  /**
   * The events up to exactly the count of the snapshot's log account. Throws `ChainUnreadable{alt, events}` when the stored last
   * record contradicts the account's, `StoreUnavailable`.
   */
  readHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<AltHistoryRead>;
  /**
   * Records at positions `from` to `to - 1` of the current incarnation, with the events of the model; fewer when fewer are known, and none
   * when the last event that the log account shows is another one. Only where that last one is known are all of this incarnation.
   */
  readEvents(
    snapshot: AltMachineSnapshot,
    from: number,
    to: number,
  ): Promise<{ readonly records: readonly EventRecord[]; readonly events: readonly RatingEvent[] }>;
  /**
   * All events up to the count of the snapshot's log account, as far as possible by their days; undefined where too many would have to be read, or
   * where they are not known to be the events that the account counts.
   */
  readDayHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<DayHistory | undefined>;
  readStatus(): Promise<AltIndexStatus>;
}
