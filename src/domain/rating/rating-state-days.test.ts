import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { rule } from '../../../test/conformance/rule.ts';
import { PAYMENT } from './constants.ts';
import { rateDays } from './daily-rating.ts';
import {
  onAllDays,
  eachDay,
  inChainOrder,
  NO_FEED,
  noonOf,
  PLAIN_FACTS,
  revenueOn,
  TODAY,
} from '../../../testing/fixtures/rating-events.ts';
import type { RatingEvent } from './event.ts';
import { encodeRatingStateDay, decodeRatingStateDay } from './rating-state-day-codec.ts';
import {
  foldDays,
  HISTORY_DAYS,
  RETAINED_DAYS,
  restoreRatingState,
  RESTORE_DAYS,
  type RatingStateDay,
} from './rating-state-days.ts';
import { emptyRatingState, foldEvents, type RatingState } from './rating-state.ts';
import { RatingStateUnreadable } from './rating-state-codec.ts';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import type { RateTable } from './rate-table.ts';
import { factsAt, eventHistory, tableThrough } from '../../../testing/arbitraries/rating-arbitraries.ts';
import { rateMachine } from './rating.ts';

/** In-memory store of a machine's days: one encoded text per day; days that are no longer needed are deleted. */
class StoredDays {
  state: RatingState = emptyRatingState();
  readonly #texts = new Map<number, string>();

  list(): RatingStateDay[] {
    return [...this.#texts.values()].map(decodeRatingStateDay);
  }

  add(events: readonly RatingEvent[], rates: RateTable): number {
    const { state, folded, days } = foldDays(this.state, this.list().at(-1), events, rates);
    this.state = state;
    for (const day of days) this.#texts.set(day.day, encodeRatingStateDay(day));
    const newest = this.list().at(-1)?.day ?? 0;
    const old = [...this.#texts.keys()].filter((day) => day <= newest - RETAINED_DAYS);
    for (const day of old.slice(0, -1)) this.#texts.delete(day);
    return folded;
  }
}

const UNSOLD = { changedHandsAfter: undefined };

const batches = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });

function addInBatches(
  stored: StoredDays,
  events: readonly RatingEvent[],
  sizes: readonly number[],
  rates: RateTable,
): number {
  let next = 0;
  for (let batchIndex = 0; next < events.length; batchIndex++) {
    const batch = events.slice(next, next + sizes[batchIndex % sizes.length]!);
    const folded = stored.add(batch, rates);
    next += folded;
    if (folded < batch.length) break;
  }
  return next;
}

const steady = inChainOrder(eachDay(TODAY - 9, TODAY, (day) => [revenueOn(day, 5_000), revenueOn(day, 2_000, 0)]));

describe('foldDays', () => {
  it('returns the buckets that each day changed and the totals at its end', () => {
    const { days, folded, state } = foldDays(emptyRatingState(), undefined, steady, NO_FEED);
    expect([folded, state]).toEqual([20, foldEvents(emptyRatingState(), steady, NO_FEED).state]);
    expect(days.map(({ day, totals, changed }) => [day, totals.nextSeq, changed.map((bucket) => bucket.day)])).toEqual(
      Array.from({ length: 10 }, (_, k) => [TODAY - 9 + k, 2 * k + 2, [TODAY - 9 + k]]),
    );
  });

  it('includes an older bucket that a later block changed', () => {
    const late = { ...revenueOn(TODAY, 2_000), timestamp: BigInt(noonOf(TODAY - 5)) };
    const { days } = foldDays(
      emptyRatingState(),
      undefined,
      inChainOrder([revenueOn(TODAY - 5, 2_000), late]),
      NO_FEED,
    );
    expect(
      days.map(({ day, changed }) => [day, changed.map((bucket) => [bucket.day, bucket.classes.attested.cents])]),
    ).toEqual([
      [TODAY - 5, [[TODAY - 5, 2_000n]]],
      [TODAY, [[TODAY - 5, 4_000n]]],
    ]);
  });

  it('continues the day that an earlier batch started, and no other day', () => {
    const lateOn = (day: number) => ({ ...revenueOn(day, 2_000), timestamp: BigInt(noonOf(day - 3)) });
    const parts = [TODAY - 4, TODAY - 3, TODAY - 2].flatMap((day) => [lateOn(day), revenueOn(day, 5_000), lateOn(day)]);
    const events = inChainOrder(parts);
    const whole = foldDays(emptyRatingState(), undefined, events, NO_FEED).days;
    expect(whole.map(({ changed }) => changed.map((bucket) => bucket.day))).toEqual(
      [TODAY - 4, TODAY - 3, TODAY - 2].map((day) => [day - 3, day]),
    );
    for (let cut = 1; cut < events.length; cut++) {
      const first = foldDays(emptyRatingState(), undefined, events.slice(0, cut), NO_FEED);
      const rest = foldDays(first.state, first.days.at(-1), events.slice(cut), NO_FEED);
      const isWithin = first.days.at(-1)!.day === rest.days[0]!.day;
      expect([...first.days.slice(0, isWithin ? -1 : undefined), ...rest.days]).toEqual(whole);
    }
  });

  it('returns days that restore the state, from all of them or from the newest RESTORE_DAYS', () => {
    const late = (day: number) => ({ ...revenueOn(day, 2_000), timestamp: BigInt(noonOf(day - 6)) });
    const events = inChainOrder(eachDay(TODAY - 400, TODAY, (day) => [revenueOn(day, 5_000), late(day)]));
    const { days, state } = foldDays(emptyRatingState(), undefined, events, NO_FEED);
    expect(state.buckets.map(({ day }) => day)).toEqual(Array.from({ length: 180 }, (_, k) => TODAY - 179 + k));
    expect(restoreRatingState(days)).toEqual(state);
    expect(restoreRatingState(days.slice(-RESTORE_DAYS))).toEqual(state);
    expect(restoreRatingState([])).toEqual(emptyRatingState());
  });

  it('has verdicts on the events of all retained days', () => {
    expect(PAYMENT.followedDays).toBeGreaterThanOrEqual(RETAINED_DAYS);
  });

  it('adds a change of hands to the day of its block, which has no events', () => {
    const [first, second] = inChainOrder([revenueOn(TODAY - 9, 5_000), revenueOn(TODAY, 2_000)]);
    const events = [first!, { ...second!, changedHandsBefore: noonOf(TODAY - 4) }];
    const { days, state } = foldDays(emptyRatingState(), undefined, events, NO_FEED);
    expect(days.map(({ day, totals, changed }) => [day, totals.nextSeq, changed.map((bucket) => bucket.day)])).toEqual([
      [TODAY - 9, 1, [TODAY - 9]],
      [TODAY - 4, 1, [TODAY - 9]],
      [TODAY, 2, [TODAY]],
    ]);
    expect(days[1]!.changed[0]!.classes.declared.cents).toBe(5_000n);
    expect(restoreRatingState(days)).toEqual(state);
  });

  it('stops before a pending event', () => {
    const events = inChainOrder([revenueOn(TODAY, 2_000), { ...revenueOn(TODAY, 2_000), currency: 'EUR' }]);
    const { days, folded } = foldDays(emptyRatingState(), undefined, events, tableThrough(TODAY - 9));
    expect([folded, days.map(({ totals }) => totals.nextSeq)]).toEqual([1, [1]]);
    expect(
      foldDays(
        emptyRatingState(),
        undefined,
        events.slice(1).map((event) => ({ ...event, seq: 0 })),
        tableThrough(TODAY - 9),
      ).days,
    ).toEqual([]);
  });

  it(
    `gives the same days in any batches, and they restore the state and the history (${SEED_TITLE})`,
    { timeout: PROPERTY_TIMEOUT_MILLISECONDS },
    () => {
      fc.assert(
        fc.property(
          eventHistory,
          batches,
          factsAt(noonOf(TODAY)),
          fc.integer({ min: TODAY - 300, max: TODAY }),
          (events, sizes, parts, through) => {
            const rates = tableThrough(through);
            const stored = new StoredDays();
            const folded = addInBatches(stored, events, sizes, rates);
            const whole = foldDays(emptyRatingState(), undefined, events, rates);
            expect([folded, stored.state]).toEqual([whole.folded, whole.state]);
            expect(stored.list()).toEqual(whole.days);
            expect(restoreRatingState(stored.list().slice(-RESTORE_DAYS))).toEqual(stored.state);
            const facts = { ...PLAIN_FACTS, ...parts, rates };
            const current = rateMachine({ ...facts, state: emptyRatingState(), tail: events });
            const span = { current, today: TODAY, maxDays: HISTORY_DAYS };
            expect(
              rateDays({ stateDays: stored.list(), events: events.slice(folded), ...UNSOLD }, onAllDays(facts), span),
            ).toEqual(rateDays({ stateDays: [], events, ...UNSOLD }, onAllDays(facts), span));
          },
        ),
        { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 5) },
      );
    },
  );

  it(
    `needs only the last ${RETAINED_DAYS} days for the history of a machine with many years of events (${SEED_TITLE})`,
    { timeout: PROPERTY_TIMEOUT_MILLISECONDS },
    () => {
      rule('history.bounded-cost');
      const years = fc
        .array(
          fc.tuple(
            fc.integer({ min: 0, max: 1_500 }),
            fc.integer({ min: 0, max: 7 }),
            fc.integer({ min: 500, max: 90_000 }),
          ),
          {
            minLength: 1,
            maxLength: 300,
          },
        )
        .map((parts) =>
          inChainOrder(
            parts.map(([ago, late, cents]) => ({
              ...revenueOn(TODAY - ago, cents),
              timestamp: BigInt(noonOf(TODAY - ago - late)),
            })),
          ),
        );
      fc.assert(
        fc.property(years, batches, (events, sizes) => {
          const stored = new StoredDays();
          addInBatches(stored, events, sizes, NO_FEED);
          expect(stored.list().length).toBeLessThanOrEqual(RETAINED_DAYS + 1);
          expect(restoreRatingState(stored.list().slice(-RESTORE_DAYS))).toEqual(
            foldEvents(emptyRatingState(), events, NO_FEED).state,
          );
          const current = rateMachine({ ...PLAIN_FACTS, state: stored.state, tail: [] });
          const span = { current, today: TODAY, maxDays: HISTORY_DAYS };
          expect(rateDays({ stateDays: stored.list(), events: [], ...UNSOLD }, onAllDays(PLAIN_FACTS), span)).toEqual(
            rateDays({ stateDays: [], events, ...UNSOLD }, onAllDays(PLAIN_FACTS), span),
          );
        }),
        { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 4) },
      );
    },
  );
});

describe('encodeRatingStateDay and decodeRatingStateDay', () => {
  const [day] = foldDays(emptyRatingState(), undefined, steady, NO_FEED).days as [RatingStateDay];

  it('round-trip a day as compact JSON', () => {
    expect(decodeRatingStateDay(encodeRatingStateDay(day))).toStrictEqual(day);
    expect(encodeRatingStateDay(day)).toBe(
      '["mcr/2",20505,[2,2,7000,2,2,1,1,1],[1771675200,20505,20505,null],[[20505,"2000","0","5000",2000,0,5000,0,0,0]],2]',
    );
  });

  it.each([
    ['an empty text', ''],
    ['null', 'null'],
    ['another model', encodeRatingStateDay(day).replace('mcr/2', 'mcr/1')],
    ['an extra part', encodeRatingStateDay(day).replace(/\]$/, ',0]')],
    ['a missing part', '["mcr/2",20505,[2,2,7000,2,2,1,1,1],[1771675200,20505,20505,null],[]]'],
    ['an extra count', encodeRatingStateDay(day).replace('[2,2,7000', '[2,2,2,7000')],
    ['a missing moment', encodeRatingStateDay(day).replace('20505,null', 'null')],
    ['an extra moment', encodeRatingStateDay(day).replace('20505,null', '20505,null,null')],
    ['a fraction', encodeRatingStateDay(day).replace('7000,2', '7000.5,2')],
    ['a day that is null', encodeRatingStateDay(day).replace('"mcr/2",20505', '"mcr/2",null')],
    ['no events', encodeRatingStateDay(day).replace('[2,2,7000', '[0,2,7000')],
    ['no block time', encodeRatingStateDay(day).replace('1771675200', 'null')],
    ['a malformed bucket', encodeRatingStateDay(day).replace('[20505,"2000"', '["2000"')],
  ])('reject %s', (_, text) => {
    expect(text).not.toBe(encodeRatingStateDay(day));
    expect(() => decodeRatingStateDay(text)).toThrow(RatingStateUnreadable);
  });
});
