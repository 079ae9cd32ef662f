/**
 * What was a fold at the end of each day? Of a machine with many events, what each day of its blocks changed is remembered, so that its history can
 * be told without its events (decisions 4, `GET /mcr/{did}/history`).
 *
 * The last of the days may still grow. Folding in any batches gives the same days.
 */

import { dayOf } from './utc-day.ts';
import { WINDOW_DAYS } from './constants.ts';
import type { RatingEvent } from './event.ts';
import { emptyRatingState, foldEvents, type DayBucket, type RatingState, type FoldedEvents } from './rating-state.ts';
import type { RateTable } from './rate-table.ts';

/** Of fewer events a history is as soon told from the events. */
export const LEAST_EVENTS_OF_DAYS = 1_000;

/** A history tells of at most so many days, today's included. */
export const HISTORY_DAYS = 365;

/** A sound event enters at most so many days before or after the day of its block. */
const ENTRY_DAYS = 8;

/** So many of the newest days hold every bucket of the fold. */
export const RESTORING_DAYS = WINDOW_DAYS + ENTRY_DAYS;

/** Days before the newest that a history may still need; and the newest one before them, for what adds up. */
export const KEPT_DAYS = HISTORY_DAYS + RESTORING_DAYS;

export type RatingStateTotals = Omit<RatingState, 'buckets'>;

export interface RatingStateDay {
  /** UTC day number of the blocks. */
  readonly day: number;
  /** At the end of that day. */
  readonly totals: RatingStateTotals;
  /** Those that the day's blocks changed, as they were at its end; ascending. */
  readonly changed: readonly DayBucket[];
}

export interface FoldedDays extends FoldedEvents {
  /** The days of the folded events; the first goes on with the last one before, if it is of the same day. */
  readonly days: readonly RatingStateDay[];
}

/** As `foldEvents`; `newest` is the last of the days up to `fold`, undefined where there is none. Throws `EventsUnreadable`. */
export function foldDays(
  fold: RatingState,
  newest: RatingStateDay | undefined,
  events: readonly RatingEvent[],
  rates: RateTable,
): FoldedDays {
  const days: RatingStateDay[] = [];
  let current = fold;
  let folded = 0;
  while (folded < events.length) {
    const day = dayOf(events[folded]!.blockTimestamp);
    let end = folded + 1;
    while (end < events.length && dayOf(events[end]!.blockTimestamp) === day) end += 1;
    const next = foldEvents(current, events.slice(folded, end), rates);
    if (next.folded > 0) {
      const begun = newest?.day === day && days.length === 0 ? newest.changed : [];
      days.push(toFoldDay(day, begun, current, next.fold));
    }
    current = next.fold;
    folded += next.folded;
    if (folded < end) break;
  }
  return { fold: current, folded, days };
}

/** A bucket is never written to: another object is another bucket. */
function toFoldDay(
  day: number,
  begun: readonly DayBucket[],
  before: RatingState,
  { buckets, ...totals }: RatingState,
): RatingStateDay {
  const unchanged = new Set(before.buckets);
  const begunDays = new Set(begun.map((bucket) => bucket.day));
  const changed = buckets.filter((bucket) => !unchanged.has(bucket) || begunDays.has(bucket.day));
  return { day, totals, changed };
}

/** The fold at the end of a day, from that at the end of the day before it. */
export function applyDay({ buckets }: RatingState, { totals, changed }: RatingStateDay): RatingState {
  const oldestDay = dayOf(totals.newestBlockTimestamp!) - (WINDOW_DAYS - 1);
  const changedDays = new Set(changed.map(({ day }) => day));
  const kept = buckets.filter(({ day }) => day >= oldestDay && !changedDays.has(day));
  return { ...totals, buckets: [...kept, ...changed].sort((a, b) => a.day - b.day) };
}

/** The fold at the end of the last day; at least the newest `RESTORING_DAYS`, or all. */
export function restoreRatingState(days: readonly RatingStateDay[]): RatingState {
  return days.reduce(applyDay, emptyRatingState());
}
