/**
 * How did a rating come to be? One rating per UTC day, each by the model as it stands, from the events of blocks up to the end of that day
 * (decisions 4, `GET /mcr/{did}/history`). A past day is judged by the last second of it; amounts are those of today's table.
 */

import { dayOf, SECONDS_PER_DAY } from './utc-day.ts';
import type { RatingEvent } from './event.ts';
import { applyDay, type RatingStateDay } from './rating-state-days.ts';
import { emptyRatingState, previewFold, type RatingState } from './rating-state.ts';
import { rateMachine, type Rating, type RatingInput } from './rating.ts';
import type { Letter } from './scale.ts';

export interface DailyRating {
  /** UTC day number. */
  readonly day: number;
  readonly letter: Letter;
  readonly score: number;
  /** Null on the last day alone, while the rating is unavailable. */
  readonly totalHundredths: number | null;
  readonly isDegraded: boolean;
  /** Qualifying revenue of the blocks of that day. */
  readonly revenueCents: number;
}

/** Its revenues add up to the total of now. */
export interface DailyRatings {
  /** Qualifying revenue before the first day. */
  readonly revenueBeforeCents: number;
  /** Without a gap. */
  readonly days: readonly DailyRating[];
}

/** What is not known of any day but the last: it holds for all. A flag carries its date. */
export type DatelessFacts = Pick<
  RatingInput,
  'rates' | 'bondStatus' | 'priorEvents' | 'negativeFlagAt' | 'trustOverride'
>;

/** All events of a machine: what is remembered of their days, and those after these. */
export interface DayHistory {
  readonly foldDays: readonly RatingStateDay[];
  readonly events: readonly RatingEvent[];
}

/**
 * Rates each day from that of the first event on, at most the `maxDays` up to `today`, which is `current`'s. Empty without events.
 * Throws `EventsUnreadable`.
 */
export function rateDays(
  { foldDays, events }: DayHistory,
  facts: DatelessFacts,
  { current, today, maxDays }: { readonly current: Rating; readonly today: number; readonly maxDays: number },
): DailyRatings {
  const beginning = foldDays[0]?.day ?? (events[0] && dayOf(events[0].blockTimestamp));
  if (beginning === undefined) return { revenueBeforeCents: 0, days: [] };
  let fold = emptyRatingState();
  let nextDay = 0;
  let next = 0;
  const takeUntil = (day: number): void => {
    for (; nextDay < foldDays.length && foldDays[nextDay]!.day <= day; nextDay++) {
      fold = applyDay(fold, foldDays[nextDay]!);
    }
    const start = next;
    while (next < events.length && dayOf(events[next]!.blockTimestamp) <= day) next += 1;
    fold = previewFold(fold, events.slice(start, next), facts.rates).fold;
  };
  const firstDay = Math.max(beginning, today - maxDays + 1);
  takeUntil(firstDay - 1);
  const revenueBeforeCents = fold.totalRevenueCents;
  const days: DailyRating[] = [];
  for (let day = firstDay; day <= today; day++) {
    const before = fold.totalRevenueCents;
    takeUntil(day);
    const rating = day === today ? current : rateEndOfDay(fold, facts, day);
    days.push(toDailyRating(day, rating, fold.totalRevenueCents - before));
  }
  return { revenueBeforeCents, days };
}

/** The same days, of the same events, at a later second of the last of them. */
export function renewLastDay({ revenueBeforeCents, days }: DailyRatings, current: Rating): DailyRatings {
  const last = days.at(-1);
  if (last === undefined) return { revenueBeforeCents, days };
  return { revenueBeforeCents, days: days.with(-1, toDailyRating(last.day, current, last.revenueCents)) };
}

function rateEndOfDay(fold: RatingState, facts: DatelessFacts, day: number): Rating {
  const now = (day + 1) * SECONDS_PER_DAY - 1;
  const negativeFlagAt = facts.negativeFlagAt > now ? 0n : facts.negativeFlagAt;
  return rateMachine({ ...facts, negativeFlagAt, fold, tail: [], now, ratingUnavailable: undefined });
}

function toDailyRating(
  day: number,
  { letter, score, totalHundredths, isDegraded }: Rating,
  revenueCents: number,
): DailyRating {
  return { day, letter, score, totalHundredths, isDegraded, revenueCents };
}
