import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { dayOf, SECONDS_PER_DAY } from './utc-day.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { rateDays, renewLastDay } from './daily-rating.ts';
import {
  eachDay,
  inChainOrder,
  noonOf,
  PLAIN_FACTS,
  rateEvents,
  revenueOn,
  storedAt,
  TODAY,
} from '../../../testing/fixtures/rating-events.ts';
import { REVENUE_TYPE } from './constants.ts';
import type { RatingEvent } from './event.ts';
import { emptyRatingState } from './rating-state.ts';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import { history } from '../../../testing/arbitraries/rating-arbitraries.ts';
import { rateMachine, type RatingInput } from './rating.ts';

const endOf = (day: number) => (day + 1) * SECONDS_PER_DAY - 1;

/** By a way of its own: the model at the last second of the day, over what was stored by then. */
function rateAt(events: readonly RatingEvent[], day: number, facts: Partial<RatingInput> = {}) {
  const tail = events.filter(({ blockTimestamp }) => blockTimestamp <= endOf(day));
  return rateMachine({ ...PLAIN_FACTS, ...facts, fold: emptyRatingState(), tail, now: endOf(day) });
}

function trace(events: readonly RatingEvent[], maxDays = 400, facts: Partial<RatingInput> = {}) {
  const current = rateMachine({ ...PLAIN_FACTS, ...facts, fold: emptyRatingState(), tail: events });
  return {
    current,
    ...rateDays({ foldDays: [], events }, { ...PLAIN_FACTS, ...facts }, { current, today: TODAY, maxDays }),
  };
}

const steady = inChainOrder(eachDay(TODAY - 120, TODAY, (day) => revenueOn(day, 50_000)));

describe('the days of a rating', () => {
  it('are none without an event', () => {
    expect(trace([])).toMatchObject({ revenueBeforeCents: 0, days: [] });
  });

  it('begin with the day of the first event and end with the rating of now', () => {
    const { current, days } = trace(steady);
    expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 121 }, (_, k) => TODAY - 120 + k));
    expect(days[0]).toEqual({
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
    });
  });

  it('of a year and a day leave out the first, and lose nothing of the others', () => {
    const { revenueBeforeCents, days } = trace(steady, 30);
    expect(days).toEqual(trace(steady).days.slice(-30));
    expect(revenueBeforeCents).toBe(91 * 50_000);
  });

  it('know nothing of a flag that is set later', () => {
    rule('history.model-of-the-day');
    const negativeFlagAt = BigInt(noonOf(TODAY - 2));
    const days = trace(steady, 5, { negativeFlagAt }).days.map(({ totalHundredths }) => totalHundredths);
    const plain = trace(steady, 5).days.map(({ totalHundredths }) => totalHundredths);
    expect(days.map((total, place) => total === plain[place])).toEqual([true, true, false, false, false]);
  });

  it('know a flag of their last second', () => {
    const negativeFlagAt = BigInt(endOf(TODAY - 2));
    const { totalHundredths } = trace(steady, 5, { negativeFlagAt }).days[2]!;
    expect(totalHundredths).toBe(rateAt(steady, TODAY - 2, { negativeFlagAt }).totalHundredths);
    expect(totalHundredths).not.toBe(rateAt(steady, TODAY - 2).totalHundredths);
  });

  it('are judged by the bond of now, which has no date', () => {
    rule('history.model-of-the-day');
    const letters = trace(steady, 3, { bondStatus: 'unbonded' }).days.map(({ letter, score }) => [letter, score]);
    expect(letters).toEqual([
      ['NR', 0],
      ['NR', 0],
      ['NR', 0],
    ]);
  });

  it('count revenue on the day of its block, not on that on which it is said to have happened', () => {
    const late = storedAt(noonOf(TODAY - 1), { type: REVENUE_TYPE, value: 5_000n, currency: 'USD', trust: 2 });
    const events = inChainOrder([revenueOn(TODAY - 3, 2_000), { ...late, timestamp: BigInt(noonOf(TODAY - 3)) }]);
    expect(trace(events).days.map(({ revenueCents }) => revenueCents)).toEqual([2_000, 0, 5_000, 0]);
  });

  it(
    `are each what the model gives for what was stored by then, and add up (${SEED_TITLE})`,
    { timeout: PROPERTY_TIMEOUT_MILLISECONDS },
    () => {
      fc.assert(
        fc.property(history, (events) => {
          const { current, days } = trace(events, 10_000);
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

  it('are, at a later second, the same but for the last', () => {
    const { days, revenueBeforeCents } = trace(steady, 5);
    const later = rateMachine({
      ...PLAIN_FACTS,
      fold: emptyRatingState(),
      tail: steady,
      now: endOf(TODAY),
      bondStatus: 'unbonded',
    });
    const anew = rateDays({ foldDays: [], events: steady }, PLAIN_FACTS, { current: later, today: TODAY, maxDays: 5 });
    expect(renewLastDay({ days, revenueBeforeCents }, later)).toEqual(anew);
    expect(anew.days.at(-1)).not.toEqual(days.at(-1));
    expect(renewLastDay({ days: [], revenueBeforeCents: 0 }, later)).toEqual({ days: [], revenueBeforeCents: 0 });
  });

  it('cannot be told of events with a gap', () => {
    expect(
      () =>
        trace(steady).days &&
        rateDays({ foldDays: [], events: steady.slice(1) }, PLAIN_FACTS, {
          current: rateEvents([]),
          today: TODAY,
          maxDays: 9,
        }),
    ).toThrow('events unreadable at 0: seq_gap');
  });
});
