import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { dayOf, SECONDS_PER_DAY } from './utc-day.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { rateDays, replaceLastDay } from './daily-rating.ts';
import {
  onAllDays,
  eachDay,
  inChainOrder,
  noonOf,
  PLAIN_FACTS,
  rateEvents,
  revenueOn,
  storedAt,
  TODAY,
  attestedAt,
} from '../../../testing/fixtures/rating-events.ts';
import { REVENUE_TYPE } from './constants.ts';
import type { RatingEvent } from './event.ts';
import { emptyRatingState } from './rating-state.ts';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import { eventHistory } from '../../../testing/arbitraries/rating-arbitraries.ts';
import { rateMachine, type RatingInput } from './rating.ts';

const endOf = (day: number) => (day + 1) * SECONDS_PER_DAY - 1;

/** Rates the machine independently: at the last second of the day, over the events stored by then. */
function rateAt(events: readonly RatingEvent[], day: number, facts: Partial<RatingInput> = {}) {
  const tail = events.filter(({ blockTimestamp }) => blockTimestamp <= endOf(day));
  const changedAt = events[tail.length]?.changedHandsBefore;
  const changedHandsAfter = changedAt !== undefined && changedAt <= endOf(day) ? changedAt : undefined;
  const now = endOf(day);
  return rateMachine({ ...PLAIN_FACTS, changedHandsAfter, ...facts, state: emptyRatingState(), tail, now });
}

function history(events: readonly RatingEvent[], maxDays = 400, facts: Partial<RatingInput> = {}) {
  const current = rateMachine({ ...PLAIN_FACTS, ...facts, state: emptyRatingState(), tail: events });
  return {
    current,
    ...rateDays({ stateDays: [], events, changedHandsAfter: undefined }, onAllDays({ ...PLAIN_FACTS, ...facts }), {
      current,
      today: TODAY,
      maxDays,
    }),
  };
}

const steady = inChainOrder(eachDay(TODAY - 120, TODAY, (day) => revenueOn(day, 50_000)));

describe('rateDays', () => {
  it('returns no days without events', () => {
    expect(history([])).toMatchObject({ revenueBeforeCents: 0, days: [] });
  });

  it('starts with the day of the first event and ends with the current rating', () => {
    const { current, days } = history(steady);
    expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 121 }, (_, k) => TODAY - 120 + k));
    expect(days[0]).toMatchObject({
      day: TODAY - 120,
      letter: 'Provisioned',
      score: 0,
      totalHundredths: rateAt(steady, TODAY - 120).totalHundredths,
      isDegraded: false,
      revenueCents: 50_000,
    });
    expect(days.at(-1)).toEqual({
      day: TODAY,
      letter: 'AAA',
      score: current.score,
      totalHundredths: current.totalHundredths,
      isDegraded: false,
      revenueCents: 50_000,
      eventCount: 121,
      facts: { bondStatus: 'bonded', negativeFlagAt: 0n, operatorVerified: true, trustOverride: undefined },
      ratedAt: endOf(TODAY),
    });
  });

  it('returns only the last maxDays days, with the same values', () => {
    const { revenueBeforeCents, days } = history(steady, 30);
    expect(days).toEqual(history(steady).days.slice(-30));
    expect(revenueBeforeCents).toBe(91 * 50_000);
  });

  it('ignores a negative flag on the days before it was set', () => {
    rule('history.model-of-the-day');
    const negativeFlagAt = BigInt(noonOf(TODAY - 2));
    const days = history(steady, 5, { negativeFlagAt }).days.map(({ totalHundredths }) => totalHundredths);
    const plain = history(steady, 5).days.map(({ totalHundredths }) => totalHundredths);
    expect(days.map((total, index) => total === plain[index])).toEqual([true, true, false, false, false]);
  });

  it('applies a negative flag set in the last second of a day', () => {
    const negativeFlagAt = BigInt(endOf(TODAY - 2));
    const { totalHundredths } = history(steady, 5, { negativeFlagAt }).days[2]!;
    expect(totalHundredths).toBe(rateAt(steady, TODAY - 2, { negativeFlagAt }).totalHundredths);
    expect(totalHundredths).not.toBe(rateAt(steady, TODAY - 2).totalHundredths);
  });

  it('applies the current bond status to every day', () => {
    rule('history.model-of-the-day');
    const letters = history(steady, 3, { bondStatus: 'unbonded' }).days.map(({ letter, score }) => [letter, score]);
    expect(letters).toEqual([
      ['NR', 0],
      ['NR', 0],
      ['NR', 0],
    ]);
  });

  it('rates a sale on its own day, also without a later event', () => {
    const events = inChainOrder(eachDay(TODAY - 120, TODAY - 10, (day) => revenueOn(day, 50_000)));
    const changedHandsAfter = noonOf(TODAY - 5);
    const current = rateMachine({ ...PLAIN_FACTS, state: emptyRatingState(), tail: events, changedHandsAfter });
    const span = { current, today: TODAY, maxDays: 8 };
    const { days } = rateDays({ stateDays: [], events, changedHandsAfter }, onAllDays(PLAIN_FACTS), span);
    const expected = [7, 6, 5, 4].map((ago) => {
      const sold = ago > 5 ? undefined : changedHandsAfter;
      return rateAt(events, TODAY - ago, { changedHandsAfter: sold }).totalHundredths;
    });
    expect(days.slice(0, 4).map(({ totalHundredths }) => totalHundredths)).toEqual(expected);
    expect(expected[1]! - expected[2]!).toBeGreaterThan(2_000);
  });

  it('counts revenue on the day of its block, not of its timestamp', () => {
    const late = storedAt(noonOf(TODAY - 1), { type: REVENUE_TYPE, value: 5_000n, currency: 'USD', ...attestedAt(2) });
    const events = inChainOrder([revenueOn(TODAY - 3, 2_000), { ...late, timestamp: BigInt(noonOf(TODAY - 3)) }]);
    expect(history(events).days.map(({ revenueCents }) => revenueCents)).toEqual([2_000, 0, 5_000, 0]);
  });

  it(
    `matches the model over the events stored by each day, and revenue adds up (${SEED_TITLE})`,
    { timeout: PROPERTY_TIMEOUT_MILLISECONDS },
    () => {
      fc.assert(
        fc.property(eventHistory, (events) => {
          const { current, days } = history(events, 10_000);
          for (const { day, letter, score, totalHundredths, isDegraded } of days.slice(0, -1)) {
            expect({ letter, score, totalHundredths, isDegraded }).toEqual(
              (({ letter, score, totalHundredths, isDegraded }) => ({ letter, score, totalHundredths, isDegraded }))(
                rateAt(events, day),
              ),
            );
          }
          expect(days.reduce((sum, { revenueCents }) => sum + revenueCents, 0)).toBe(current.totalRevenueCents);
          expect(days.length).toBe(events.length === 0 ? 0 : TODAY - dayOf(events[0]!.blockTimestamp) + 1);
        }),
        { ...PROPERTY_RUNS, numRuns: Math.min(20, PROPERTY_RUNS.numRuns) },
      );
    },
  );

  it('matches replaceLastDay at a later second of the last day', () => {
    const { days, revenueBeforeCents } = history(steady, 5);
    const later = rateMachine({
      ...PLAIN_FACTS,
      state: emptyRatingState(),
      tail: steady,
      now: endOf(TODAY),
      bondStatus: 'unbonded',
    });
    const recomputed = rateDays(
      { stateDays: [], events: steady, changedHandsAfter: undefined },
      onAllDays(PLAIN_FACTS),
      {
        current: later,
        today: TODAY,
        maxDays: 5,
      },
    );
    const current = { rating: later, facts: recomputed.days.at(-1)!.facts, now: endOf(TODAY) };
    expect(replaceLastDay({ days, revenueBeforeCents }, current)).toEqual(recomputed);
    expect(recomputed.days.at(-1)).not.toEqual(days.at(-1));
    expect(replaceLastDay({ days: [], revenueBeforeCents: 0 }, current)).toEqual({ days: [], revenueBeforeCents: 0 });
  });

  it('throws EventsUnreadable for events with a gap', () => {
    expect(() =>
      rateDays({ stateDays: [], events: steady.slice(1), changedHandsAfter: undefined }, onAllDays(PLAIN_FACTS), {
        current: rateEvents([]),
        today: TODAY,
        maxDays: 9,
      }),
    ).toThrow('events unreadable at 0: seq_gap');
  });
});
