/**
 * What is known of the alt chain's events and fleets? (chain-svm 6 and 7.) Implemented by `indexers/`, over what the store keeps.
 */
import type { AltMachineSnapshot } from '../domain/alt-machine-facts.ts';
import type { EventRecord } from '../domain/machine-facts.ts';
import type { DayHistory } from '../domain/rating/daily-rating.ts';
import type { RatingEvent } from '../domain/rating/event.ts';
import type { Fold } from '../domain/rating/fold.ts';

/** Events of one machine's current incarnation, ready for the model. */
export interface AltHistoryRead {
  /**
   * Whether these are all events that the machine's log account counts. False: the rating is unavailable, and what is here are the
   * events indexed so far.
   */
  readonly isComplete: boolean;
  readonly fold: Fold;
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
