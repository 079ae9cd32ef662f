/** Which events does a test need? Test support: events by day, stored in the second they tell of, and the facts to rate them. */

import { SECONDS_PER_DAY } from '../utc-day.ts';
import { ACTIVITY_TYPE, REVENUE_TYPE } from './constants.ts';
import type { RatingEvent } from './event.ts';
import { emptyFold } from './fold.ts';
import { createRateTable } from './rate-table.ts';
import type { Rating, RatingInput } from './rating.ts';
import { rateMachine } from './rating.ts';

export type EventParts = Omit<RatingEvent, 'seq'>;

/** Monday, 2026-03-02. */
export const TODAY = 20_514;

/** Noon of a day. */
export const noonOf = (day: number): number => day * SECONDS_PER_DAY + SECONDS_PER_DAY / 2;

export const NO_FEED = createRateTable(false);

/** A bonded machine about which nothing else is known, at noon of `TODAY`. */
export const PLAIN_FACTS: Omit<RatingInput, 'fold' | 'tail'> = {
  rates: NO_FEED,
  bondStatus: 'bonded',
  priorEvents: 0n,
  ratingUnavailable: undefined,
  negativeFlagAt: 0n,
  trustOverride: undefined,
  now: noonOf(TODAY),
};

/** Revenue in USD at noon of a day. */
export function revenueOn(day: number, cents: number | bigint, trust = 2): EventParts {
  return storedAt(noonOf(day), { type: REVENUE_TYPE, value: BigInt(cents), currency: 'USD', trust });
}

/** Activity at noon of a day. */
export function activityOn(day: number, trust = 2): EventParts {
  return storedAt(noonOf(day), { type: ACTIVITY_TYPE, value: 1n, currency: '', trust });
}

/** The event in a block of its own second. */
export function storedAt(blockTimestamp: number, parts: Omit<EventParts, 'timestamp' | 'blockTimestamp'>): EventParts {
  return { ...parts, timestamp: BigInt(blockTimestamp), blockTimestamp };
}

/** One thing per day, from the first to the last of them. */
export function eachDay(first: number, last: number, make: (day: number) => EventParts | EventParts[]): EventParts[] {
  return Array.from({ length: last - first + 1 }, (_, index) => make(first + index)).flat();
}

/** Events in chain order, numbered from 0; those of one block stay as given. */
export function inChainOrder(parts: readonly EventParts[]): RatingEvent[] {
  return parts.toSorted((a, b) => a.blockTimestamp - b.blockTimestamp).map((event, seq) => ({ ...event, seq }));
}

/** Rates raw events. */
export function rateEvents(parts: readonly EventParts[], facts: Partial<RatingInput> = {}): Rating {
  return rateMachine({ ...PLAIN_FACTS, fold: emptyFold(), tail: inChainOrder(parts), ...facts });
}
