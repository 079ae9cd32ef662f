/**
 * Daily changes of a rating state. For a machine with many events the changes of each day of blocks are stored, so that its history can be
 * computed without its events (decisions 4, `GET /mcr/{did}/history`).
 *
 * The last day may still change. Folding in any batches gives the same days.
 */

import { dayOf } from './utc-day.ts';
import { WINDOW_DAYS } from './constants.ts';
import type { RatingEvent } from './event.ts';
import {
  changeHands,
  emptyRatingState,
  foldEvents,
  type DayBucket,
  type RatingState,
  type FoldedEvents,
} from './rating-state.ts';
import type { RateTable } from './rate-table.ts';

/** With fewer events, computing the history from the events is as fast. */
export const MIN_EVENTS_FOR_STORED_DAYS = 1_000;

/** Maximum number of days in a history, today included. */
export const HISTORY_DAYS = 365;

/** Maximum distance in days between the day of a sound event and the day of its block. */
const ENTRY_DAYS = 8;

/** Number of newest days that together contain every bucket of the rating state. */
export const RESTORE_DAYS = WINDOW_DAYS + ENTRY_DAYS;

/** Number of days before the newest that are retained for histories, plus the last day before them, for the running totals. */
export const RETAINED_DAYS = HISTORY_DAYS + RESTORE_DAYS;

export type RatingStateTotals = Omit<RatingState, 'buckets' | 'verdictDays'>;

export interface RatingStateDay {
  /** UTC day number of the blocks with an event or a change of hands. */
  readonly day: number;
  /** Totals at the end of that day. */
  readonly totals: RatingStateTotals;
  /** The buckets that the day's blocks changed, as of its end; ascending. */
  readonly changed: readonly DayBucket[];
  /** Events of the day's blocks that have a verdict. */
  readonly verdictCount: number;
}

export interface FoldedDays extends FoldedEvents {
  /** The days of the folded events. The first one continues the newest stored day if it is the same day. */
  readonly days: readonly RatingStateDay[];
}

/**
 * Folds events as `foldEvents` does and returns their days. `newest` is the last stored day of `state`, undefined when there is none.
 * Throws `EventsUnreadable`.
 */
export function foldDays(
  state: RatingState,
  newest: RatingStateDay | undefined,
  events: readonly RatingEvent[],
  rates: RateTable,
): FoldedDays {
  const days: RatingStateDay[] = [];
  let last = newest;
  let current = state;
  let folded = 0;
  const advance = (day: number, next: RatingState): void => {
    const isContinued = last?.day === day;
    if (isContinued && days.length > 0) days.pop();
    last = toStateDay(day, isContinued ? last!.changed : [], current, next);
    days.push(last);
    current = next;
  };
  while (folded < events.length) {
    const first = events[folded]!;
    const day = dayOf(first.blockTimestamp);
    let end = folded + 1;
    while (end < events.length && dayOf(events[end]!.blockTimestamp) === day) end += 1;
    const { changedHandsBefore } = first;
    const isSold = changedHandsBefore !== undefined && current.nextSeq > 0;
    const before = isSold ? changeHands(current) : current;
    const next = foldEvents(before, events.slice(folded, end), rates);
    if (next.folded > 0) {
      if (isSold) advance(dayOf(changedHandsBefore), before);
      advance(day, next.state);
    }
    folded += next.folded;
    if (folded < end) break;
  }
  return { state: current, folded, days };
}

/** Compares buckets by identity: a bucket is never modified, only replaced. */
function toStateDay(
  day: number,
  changedBefore: readonly DayBucket[],
  before: RatingState,
  { buckets, verdictDays, ...totals }: RatingState,
): RatingStateDay {
  const unchanged = new Set(before.buckets);
  const daysBefore = new Set(changedBefore.map((bucket) => bucket.day));
  const changed = buckets.filter((bucket) => !unchanged.has(bucket) || daysBefore.has(bucket.day));
  return { day, totals, changed, verdictCount: verdictDays.find((each) => each.day === day)?.count ?? 0 };
}

/** Returns the state at the end of a day from the state at the end of the day before. */
export function applyDay(before: RatingState, { day, totals, changed, verdictCount }: RatingStateDay): RatingState {
  const oldestDay = dayOf(totals.newestBlockTimestamp!) - (WINDOW_DAYS - 1);
  const changedDays = new Set(changed.map(({ day }) => day));
  const unchanged = before.buckets.filter((bucket) => bucket.day >= oldestDay && !changedDays.has(bucket.day));
  const verdictDays = before.verdictDays.filter((each) => each.day >= oldestDay && each.day !== day);
  if (verdictCount > 0) verdictDays.push({ day, count: verdictCount });
  return { ...totals, buckets: [...unchanged, ...changed].sort((a, b) => a.day - b.day), verdictDays };
}

/** Restores the state at the end of the last day, from all days or at least the newest `RESTORE_DAYS`. */
export function restoreRatingState(days: readonly RatingStateDay[]): RatingState {
  return days.reduce(applyDay, emptyRatingState());
}
