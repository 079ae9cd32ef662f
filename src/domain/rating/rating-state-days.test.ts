import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { rule } from '../../../test/conformance/rule.ts';
import { rateDays } from './daily-rating.ts';
import {
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
  KEPT_DAYS,
  restoreRatingState,
  RESTORING_DAYS,
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
import { factsAt, history, tableThrough } from '../../../testing/arbitraries/rating-arbitraries.ts';
import { rateMachine } from './rating.ts';

/** A machine's days as a store keeps them: by text, one a day, those that are needed no more left out. */
class KeptDays {
  fold: RatingState = emptyRatingState();
  readonly #texts = new Map<number, string>();

  list(): RatingStateDay[] {
    return [...this.#texts.values()].map(decodeRatingStateDay);
  }

  add(events: readonly RatingEvent[], rates: RateTable): number {
    const { fold, folded, days } = foldDays(this.fold, this.list().at(-1), events, rates);
    this.fold = fold;
    for (const day of days) this.#texts.set(day.day, encodeRatingStateDay(day));
    const newest = this.list().at(-1)?.day ?? 0;
    const old = [...this.#texts.keys()].filter((day) => day <= newest - KEPT_DAYS);
    for (const day of old.slice(0, -1)) this.#texts.delete(day);
    return folded;
  }
}

const batches = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });

function addInBatches(
  kept: KeptDays,
  events: readonly RatingEvent[],
  sizes: readonly number[],
  rates: RateTable,
): number {
  let next = 0;
  for (let turn = 0; next < events.length; turn++) {
    const batch = events.slice(next, next + sizes[turn % sizes.length]!);
    const folded = kept.add(batch, rates);
    next += folded;
    if (folded < batch.length) break;
  }
  return next;
}

const steady = inChainOrder(eachDay(TODAY - 9, TODAY, (day) => [revenueOn(day, 5_000), revenueOn(day, 2_000, 0)]));

describe('the days of a fold', () => {
  it('hold what each day changed, and the totals at its end', () => {
    const { days, folded, fold } = foldDays(emptyRatingState(), undefined, steady, NO_FEED);
    expect([folded, fold]).toEqual([20, foldEvents(emptyRatingState(), steady, NO_FEED).fold]);
    expect(days.map(({ day, totals, changed }) => [day, totals.nextSeq, changed.map((bucket) => bucket.day)])).toEqual(
      Array.from({ length: 10 }, (_, k) => [TODAY - 9 + k, 2 * k + 2, [TODAY - 9 + k]]),
    );
  });

  it('hold a bucket that a later block changed, too', () => {
    const late = { ...revenueOn(TODAY, 2_000), timestamp: BigInt(noonOf(TODAY - 5)) };
    const { days } = foldDays(
      emptyRatingState(),
      undefined,
      inChainOrder([revenueOn(TODAY - 5, 2_000), late]),
      NO_FEED,
    );
    expect(
      days.map(({ day, changed }) => [day, changed.map((bucket) => [bucket.day, bucket.levels[2].cents])]),
    ).toEqual([
      [TODAY - 5, [[TODAY - 5, 2_000n]]],
      [TODAY, [[TODAY - 5, 4_000n]]],
    ]);
  });

  it('go on with the day that an earlier batch began, and with no other', () => {
    const lateOn = (day: number) => ({ ...revenueOn(day, 2_000), timestamp: BigInt(noonOf(day - 3)) });
    const parts = [TODAY - 4, TODAY - 3, TODAY - 2].flatMap((day) => [lateOn(day), revenueOn(day, 5_000), lateOn(day)]);
    const events = inChainOrder(parts);
    const whole = foldDays(emptyRatingState(), undefined, events, NO_FEED).days;
    expect(whole.map(({ changed }) => changed.map((bucket) => bucket.day))).toEqual(
      [TODAY - 4, TODAY - 3, TODAY - 2].map((day) => [day - 3, day]),
    );
    for (let cut = 1; cut < events.length; cut++) {
      const first = foldDays(emptyRatingState(), undefined, events.slice(0, cut), NO_FEED);
      const rest = foldDays(first.fold, first.days.at(-1), events.slice(cut), NO_FEED);
      const isWithin = first.days.at(-1)!.day === rest.days[0]!.day;
      expect([...first.days.slice(0, isWithin ? -1 : undefined), ...rest.days]).toEqual(whole);
    }
  });

  it('give the fold back: all of them, and the newest alone', () => {
    const late = (day: number) => ({ ...revenueOn(day, 2_000), timestamp: BigInt(noonOf(day - 6)) });
    const events = inChainOrder(eachDay(TODAY - 400, TODAY, (day) => [revenueOn(day, 5_000), late(day)]));
    const { days, fold } = foldDays(emptyRatingState(), undefined, events, NO_FEED);
    expect(fold.buckets.map(({ day }) => day)).toEqual(Array.from({ length: 180 }, (_, k) => TODAY - 179 + k));
    expect(restoreRatingState(days)).toEqual(fold);
    expect(restoreRatingState(days.slice(-RESTORING_DAYS))).toEqual(fold);
    expect(restoreRatingState([])).toEqual(emptyRatingState());
  });

  it('end before a pending event', () => {
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
    `are the same in any batches, and give the fold and the history back (${SEED_TITLE})`,
    { timeout: PROPERTY_TIMEOUT_MILLISECONDS },
    () => {
      fc.assert(
        fc.property(
          history,
          batches,
          factsAt(noonOf(TODAY)),
          fc.integer({ min: TODAY - 300, max: TODAY }),
          (events, sizes, parts, through) => {
            const rates = tableThrough(through);
            const kept = new KeptDays();
            const folded = addInBatches(kept, events, sizes, rates);
            const whole = foldDays(emptyRatingState(), undefined, events, rates);
            expect([folded, kept.fold]).toEqual([whole.folded, whole.fold]);
            expect(kept.list()).toEqual(whole.days);
            expect(restoreRatingState(kept.list().slice(-RESTORING_DAYS))).toEqual(kept.fold);
            const facts = { ...PLAIN_FACTS, ...parts, rates };
            const current = rateMachine({ ...facts, fold: emptyRatingState(), tail: events });
            const span = { current, today: TODAY, maxDays: HISTORY_DAYS };
            expect(rateDays({ foldDays: kept.list(), events: events.slice(folded) }, facts, span)).toEqual(
              rateDays({ foldDays: [], events }, facts, span),
            );
          },
        ),
        { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 5) },
      );
    },
  );

  it(
    `tell the history of many years by those of the last ${KEPT_DAYS} (${SEED_TITLE})`,
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
          const kept = new KeptDays();
          addInBatches(kept, events, sizes, NO_FEED);
          expect(kept.list().length).toBeLessThanOrEqual(KEPT_DAYS + 1);
          expect(restoreRatingState(kept.list().slice(-RESTORING_DAYS))).toEqual(
            foldEvents(emptyRatingState(), events, NO_FEED).fold,
          );
          const current = rateMachine({ ...PLAIN_FACTS, fold: kept.fold, tail: [] });
          const span = { current, today: TODAY, maxDays: HISTORY_DAYS };
          expect(rateDays({ foldDays: kept.list(), events: [] }, PLAIN_FACTS, span)).toEqual(
            rateDays({ foldDays: [], events }, PLAIN_FACTS, span),
          );
        }),
        { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 4) },
      );
    },
  );
});

describe('the text of a day', () => {
  const [day] = foldDays(emptyRatingState(), undefined, steady, NO_FEED).days as [RatingStateDay];

  it('gives the day back, and is short', () => {
    expect(decodeRatingStateDay(encodeRatingStateDay(day))).toStrictEqual(day);
    expect(encodeRatingStateDay(day)).toBe(
      '["mcr/1",20505,[2,2,7000,2,2,1,1],[1771675200,20505,20505,null],[[20505,"2000","0","5000",2000,0,5000,0,0,0]]]',
    );
  });

  it.each([
    ['nothing', ''],
    ['null', 'null'],
    ['another model', encodeRatingStateDay(day).replace('mcr/1', 'mcr/2')],
    ['a part more', encodeRatingStateDay(day).replace(/\]$/, ',0]')],
    ['a part less', '["mcr/1",20505,[2,2,7000,2,2,1,1],[1771675200,20505,20505,null]]'],
    ['a count more', encodeRatingStateDay(day).replace('[2,2,7000', '[2,2,2,7000')],
    ['a moment less', encodeRatingStateDay(day).replace('20505,null', 'null')],
    ['a moment more', encodeRatingStateDay(day).replace('20505,null', '20505,null,null')],
    ['a fraction', encodeRatingStateDay(day).replace('7000,2', '7000.5,2')],
    ['a day that is none', encodeRatingStateDay(day).replace('"mcr/1",20505', '"mcr/1",null')],
    ['no event', encodeRatingStateDay(day).replace('[2,2,7000', '[0,2,7000')],
    ['no time', encodeRatingStateDay(day).replace('1771675200', 'null')],
    ['a bucket of other form', encodeRatingStateDay(day).replace('[20505,"2000"', '["2000"')],
  ])('is refused where it is %s', (_, text) => {
    expect(text).not.toBe(encodeRatingStateDay(day));
    expect(() => decodeRatingStateDay(text)).toThrow(RatingStateUnreadable);
  });
});
