/**
 * Rating history: one rating per UTC day, computed by the current model from the events of blocks up to the end of that day (decisions 4,
 * `GET /mcr/{did}/history`). The clock of a past day is its last second; amounts come from today's rate table.
 */

import { dayOf, SECONDS_PER_DAY } from './utc-day.ts';
import type { RatingEvent } from './event.ts';
import { applyDay, type RatingStateDay } from './rating-state-days.ts';
import type { PaidMove } from './paid/paid-moves.ts';
import { changeHands, emptyRatingState, previewFold, type RatingState } from './rating-state.ts';
import { rateMachine, type Rating, type RatingInput } from './rating.ts';
import type { RatingLetter } from './scale.ts';

export interface DailyRating {
  /** UTC day number. */
  readonly day: number;
  readonly letter: RatingLetter;
  readonly score: number;
  /** Null only on the last day, while the rating is unavailable. */
  readonly totalHundredths: number | null;
  readonly isDegraded: boolean;
  /** Qualifying revenue of the blocks of that day. */
  readonly revenueCents: number;
  /** Events up to the end of the day. */
  readonly eventCount: number;
  readonly facts: DatedFacts;
  /** Unix second of the rating: the last one of a past day. */
  readonly ratedAt: number;
}

/** The revenue before the first day and of each day adds up to the current total. */
export interface DailyRatings {
  /** Qualifying revenue before the first day. */
  readonly revenueBeforeCents: number;
  /** Consecutive, ascending. */
  readonly days: readonly DailyRating[];
}

/** Facts at one time. */
export type DatedFacts = Pick<RatingInput, 'bondStatus' | 'negativeFlagAt' | 'trustOverride' | 'operatorVerified'>;

/** Facts of all days. The moves of verdicts carry their dates; among them are those that a change of hands ended. */
export interface HistoryFacts extends Pick<RatingInput, 'rates' | 'priorEvents' | 'paidMoves'> {
  /** Returns the facts at a time in Unix seconds. */
  readonly at: (time: number) => DatedFacts;
}

/** All events of a machine: the stored days, then the events after them. */
export interface DayHistory {
  readonly stateDays: readonly RatingStateDay[];
  readonly events: readonly RatingEvent[];
  /** Block time of the first change of hands after all events; undefined without one. */
  readonly changedHandsAfter: number | undefined;
}

/**
 * Rates each day from the first event's day, at most the last `maxDays` up to `today`, the day of `current`. Returns no days without events.
 * Throws `EventsUnreadable`.
 */
export function rateDays(
  { stateDays, events, changedHandsAfter }: DayHistory,
  facts: HistoryFacts,
  { current, today, maxDays }: { readonly current: Rating; readonly today: number; readonly maxDays: number },
): DailyRatings {
  const firstEventDay = stateDays[0]?.day ?? (events[0] && dayOf(events[0].blockTimestamp));
  if (firstEventDay === undefined) return { revenueBeforeCents: 0, days: [] };
  let state = emptyRatingState();
  let nextDay = 0;
  let nextEvent = 0;
  const advanceTo = (day: number): void => {
    for (; nextDay < stateDays.length && stateDays[nextDay]!.day <= day; nextDay++) {
      state = applyDay(state, stateDays[nextDay]!);
    }
    const start = nextEvent;
    while (nextEvent < events.length && dayOf(events[nextEvent]!.blockTimestamp) <= day) nextEvent += 1;
    state = previewFold(state, events.slice(start, nextEvent), facts.rates).state;
    const isAtEnd = nextEvent === events.length;
    const changedHandsAt = isAtEnd ? changedHandsAfter : events[nextEvent]!.changedHandsBefore;
    if (changedHandsAt !== undefined && nextDay === stateDays.length && dayOf(changedHandsAt) <= day) {
      state = changeHands(state);
    }
  };
  const firstDay = Math.max(firstEventDay, today - maxDays + 1);
  advanceTo(firstDay - 1);
  const revenueBeforeCents = state.totalRevenueCents;
  const days: DailyRating[] = [];
  for (let day = firstDay; day <= today; day++) {
    const before = state.totalRevenueCents;
    advanceTo(day);
    const dated = facts.at(endOfDay(day));
    const rating = day === today ? current : rateEndOfDay(state, facts, dated, day);
    days.push({
      ...toDailyRating(day, rating, state.totalRevenueCents - before),
      eventCount: state.nextSeq,
      facts: dated,
      ratedAt: endOfDay(day),
    });
  }
  return { revenueBeforeCents, days };
}

/** The current rating with its facts, which are those of the newest block and of the second `now`. */
export interface CurrentRating {
  readonly rating: Rating;
  readonly facts: DatedFacts;
  readonly now: number;
}

/** Replaces the last day's rating with one of the same events at a later second of that day. */
export function replaceLastDay(
  { revenueBeforeCents, days }: DailyRatings,
  { rating, facts, now }: CurrentRating,
): DailyRatings {
  const last = days.at(-1);
  if (last === undefined) return { revenueBeforeCents, days };
  return {
    revenueBeforeCents,
    days: days.with(-1, { ...last, ...toDailyRating(last.day, rating, last.revenueCents), facts, ratedAt: now }),
  };
}

function endOfDay(day: number): number {
  return (day + 1) * SECONDS_PER_DAY - 1;
}

/** Returns the moves of the events up to a day that no change of hands up to that day ended. */
function movesAtEnd(moves: readonly PaidMove[], day: number): readonly PaidMove[] {
  return moves.filter(({ blockDay, endedAt }) => blockDay <= day && (endedAt === undefined || dayOf(endedAt) > day));
}

function rateEndOfDay(state: RatingState, { at, ...facts }: HistoryFacts, dated: DatedFacts, day: number): Rating {
  const now = endOfDay(day);
  const negativeFlagAt = dated.negativeFlagAt > now ? 0n : dated.negativeFlagAt;
  const noEvents = { tail: [], changedHandsAfter: undefined, paidMoves: movesAtEnd(facts.paidMoves, day) };
  return rateMachine({ ...facts, ...dated, ...noEvents, negativeFlagAt, state, now, ratingUnavailable: undefined });
}

function toDailyRating(
  day: number,
  { letter, score, totalHundredths, isDegraded }: Rating,
  revenueCents: number,
): Omit<DailyRating, 'eventCount' | 'facts' | 'ratedAt'> {
  return { day, letter, score, totalHundredths, isDegraded, revenueCents };
}
