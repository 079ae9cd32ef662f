import { describe, expect, it } from 'vitest';

import {
  activityOn,
  eachDay,
  inChainOrder,
  NO_FEED,
  noonOf,
  revenueOn,
  storedAt,
  TODAY,
} from '../../../testing/fixtures/rating-events.ts';
import type { EventParts } from '../../../testing/fixtures/rating-events.ts';
import type { RatingState } from './rating-state.ts';
import { emptyRatingState, EventsUnreadable, foldEvents, previewFold } from './rating-state.ts';
import { createRateTable, extendRateTable } from './rate-table.ts';

const foldOf = (parts: readonly EventParts[], rates = NO_FEED): RatingState =>
  foldEvents(emptyRatingState(), inChainOrder(parts), rates).fold;

const NOTHING = { cents: 0n, weight: 0, activity: 0 };

describe('foldEvents', () => {
  it('remembers what a later answer needs', () => {
    const rates = extendRateTable(createRateTable(true), [], TODAY);
    const parts = [
      revenueOn(TODAY - 40, 250_000, 1),
      revenueOn(TODAY - 40, 1_000, 1),
      activityOn(TODAY - 40, 0),
      revenueOn(TODAY - 39, 999, 2),
      { ...revenueOn(TODAY - 1, 5_000, 2), currency: 'JUNK' },
      { ...activityOn(TODAY, 2), currency: 'USD' },
    ];
    expect(foldOf(parts, rates)).toStrictEqual({
      nextSeq: 6,
      newestBlockTimestamp: noonOf(TODAY),
      revenueEvents: 4,
      totalRevenueCents: 251_000,
      qualifyingRevenueEvents: 2,
      qualifyingEvents: 4,
      qualifyingDays: 2,
      qualifyingWeeks: 2,
      firstQualifyingDay: TODAY - 40,
      lastQualifyingDay: TODAY - 1,
      lastUnconvertedDay: TODAY - 1,
      buckets: [
        {
          day: TODAY - 40,
          levels: [{ ...NOTHING, activity: 1 }, { cents: 251_000n, weight: 101_000, activity: 0 }, NOTHING],
        },
        { day: TODAY - 1, levels: [NOTHING, NOTHING, { ...NOTHING, activity: 1 }] },
      ],
    });
  });

  it('leaves the fold it was given as it was', () => {
    const before = foldOf([revenueOn(TODAY, 5_000)]);
    const copy = structuredClone(before);
    foldEvents(before, [{ ...revenueOn(TODAY, 5_000), seq: 1 }], NO_FEED);
    expect(before).toStrictEqual(copy);
  });

  it('keeps 180 days up to that of the newest block', () => {
    const parts = eachDay(TODAY - 400, TODAY, (day) => revenueOn(day, 5_000));
    const fold = foldOf(parts);
    expect(fold.buckets.map(({ day }) => day)).toStrictEqual(Array.from({ length: 180 }, (_, k) => TODAY - 179 + k));
    expect(fold.qualifyingDays).toBe(401);
    expect(fold.firstQualifyingDay).toBe(TODAY - 400);
  });

  it('drops days at the block of an event that does not count', () => {
    const parts = [revenueOn(TODAY - 179, 5_000), { ...activityOn(TODAY), type: 2 }];
    expect(foldOf(parts).buckets).toHaveLength(1);
    expect(foldOf([...parts, { ...activityOn(TODAY + 1), type: 2 }]).buckets).toHaveLength(0);
  });

  it('counts a week once, in whatever order its days are opened', () => {
    const [monday, sunday] = [TODAY - 7, TODAY - 1];
    const block = noonOf(TODAY - 1);
    const told = (day: number): EventParts => ({ ...revenueOn(day, 5_000), blockTimestamp: block });
    const orders = [
      [monday, monday + 3, sunday],
      [sunday, monday, monday + 3],
      [monday + 3, sunday, monday],
    ];
    for (const days of orders) {
      const fold = foldOf(days.map(told));
      expect(fold.qualifyingWeeks).toBe(1);
      expect(fold.qualifyingDays).toBe(3);
      expect(fold.buckets.map(({ day }) => day)).toStrictEqual([monday, monday + 3, sunday]);
    }
    expect(foldOf([told(monday), told(monday - 1)]).qualifyingWeeks).toBe(2);
  });

  it('counts 24 activity events of a day, and remembers the levels of more', () => {
    const many = (count: number, trust: number) => Array.from({ length: count }, () => activityOn(TODAY, trust));
    expect(foldOf(many(24, 0)).qualifyingEvents).toBe(24);
    expect(foldOf(many(25, 0)).qualifyingEvents).toBe(24);
    const fold = foldOf([...many(30, 0), ...many(2, 2), ...many(30, 1), revenueOn(TODAY, 5_000)]);
    expect(fold.qualifyingEvents).toBe(25);
    expect(fold.buckets[0]!.levels.map(({ activity }) => activity)).toStrictEqual([24, 24, 2]);
  });

  it('remembers the newest day that was not converted, in whatever order they are told', () => {
    const inEuro = (day: number) => ({ ...revenueOn(TODAY, 5_000), timestamp: BigInt(noonOf(day)), currency: 'EUR' });
    expect(foldOf([inEuro(TODAY - 3), inEuro(TODAY - 1)]).lastUnconvertedDay).toBe(TODAY - 1);
    expect(foldOf([inEuro(TODAY - 1), inEuro(TODAY - 3)]).lastUnconvertedDay).toBe(TODAY - 1);
  });

  it('adds revenue exactly, beyond the numbers that a double can hold', () => {
    const start = foldOf([revenueOn(TODAY, 10n ** 9n)]);
    const [bucket] = start.buckets;
    const levels = bucket!.levels;
    const rich: RatingState = {
      ...start,
      totalRevenueCents: Number.MAX_SAFE_INTEGER - 10 ** 9,
      buckets: [{ day: TODAY, levels: [levels[0], levels[1], { ...levels[2], cents: 10n ** 20n }] }],
    };
    const once = foldEvents(rich, [{ ...revenueOn(TODAY, 10n ** 9n), seq: 1 }], NO_FEED).fold;
    expect(once.totalRevenueCents).toBe(Number.MAX_SAFE_INTEGER);
    const twice = foldEvents(once, [{ ...revenueOn(TODAY, 1_001), seq: 2 }], NO_FEED).fold;
    expect(twice.totalRevenueCents).toBe(Number.MAX_SAFE_INTEGER);
    expect(twice.buckets[0]!.levels[2].cents).toBe(10n ** 20n + 10n ** 9n + 1_001n);
  });
});

describe('a pending event', () => {
  const rates = extendRateTable(createRateTable(true), [], TODAY - 2);
  const events = inChainOrder([
    revenueOn(TODAY - 1, 5_000),
    { ...revenueOn(TODAY, 5_000), currency: 'EUR' },
    activityOn(TODAY),
  ]);

  it('ends the fold before it', () => {
    const { fold, folded } = foldEvents(emptyRatingState(), events, rates);
    expect(folded).toBe(1);
    expect(fold).toStrictEqual(foldEvents(emptyRatingState(), events.slice(0, 1), rates).fold);
  });

  it('is laid on a copy as an amount that is not converted, and the rest after it', () => {
    const { fold, hasPending } = previewFold(emptyRatingState(), events, rates);
    expect(hasPending).toBe(true);
    expect(fold).toMatchObject({ nextSeq: 3, revenueEvents: 2, qualifyingEvents: 2, lastUnconvertedDay: TODAY });
  });

  it('is not there where nothing is', () => {
    const fold = foldOf([revenueOn(TODAY, 5_000)]);
    const laid = previewFold(fold, [], rates);
    expect(laid).toEqual({ fold, hasPending: false });
    expect(laid.fold).toBe(fold);
  });

  it('ends nothing when it is late, early or malformed', () => {
    const block = noonOf(TODAY);
    const useless = [
      { ...events[1]!, timestamp: BigInt(block - 604_801) },
      { ...events[1]!, timestamp: BigInt(block + 901) },
      { ...events[1]!, trust: 3 },
    ];
    for (const event of useless) expect(foldEvents(emptyRatingState(), [{ ...event, seq: 0 }], rates).folded).toBe(1);
  });
});

describe('unreadable events', () => {
  const [first, second] = inChainOrder([revenueOn(TODAY - 1, 5_000), revenueOn(TODAY, 5_000)]);

  it.each([
    ['a position left out', [first!, { ...second!, seq: 2 }], 'seq_gap', 1],
    ['a position twice', [first!, { ...second!, seq: 0 }], 'seq_gap', 1],
    ['a start that is not 0', [second!], 'seq_gap', 0],
    ['a position that is no number', [{ ...first!, seq: Number.NaN }], 'seq_gap', 0],
    ['a large position that rounds to the next', [first!, { ...second!, seq: 2n ** 64n + 1n }], 'seq_gap', 1],
    ['no block time', [first!, { ...second!, blockTimestamp: Number.NaN }], 'block_time_missing', 1],
    ['a fraction of a block time', [{ ...first!, blockTimestamp: 1.5 }], 'block_time_missing', 0],
    [
      'a block time that falls',
      [first!, { ...second!, blockTimestamp: noonOf(TODAY - 1) - 1 }],
      'block_time_falling',
      1,
    ],
    ['a negative block time', [{ ...first!, blockTimestamp: -1 }], 'block_time_falling', 0],
  ] as const)('%s', (_, events, problem, seq) => {
    const error = new EventsUnreadable(problem, seq);
    expect(() => foldEvents(emptyRatingState(), events, NO_FEED)).toThrow(error);
    expect(() => previewFold(emptyRatingState(), events, NO_FEED)).toThrow(error);
  });

  it('are told to be', () => {
    expect(new EventsUnreadable('seq_gap', 1).name).toBe('EventsUnreadable');
  });

  it('are unreadable from a fold on as well', () => {
    const fold = foldOf([first!]);
    expect(() => previewFold(fold, [{ ...second!, seq: 2 }], NO_FEED)).toThrow(new EventsUnreadable('seq_gap', 1));
    const falling = { ...second!, blockTimestamp: noonOf(TODAY - 1) - 1 };
    expect(() => previewFold(fold, [falling], NO_FEED)).toThrow(new EventsUnreadable('block_time_falling', 1));
  });

  it('are read when positions are bigints and blocks share a second, be it the first of all', () => {
    const parts = storedAt(0, { type: 1, value: 0n, currency: '', trust: 0 });
    const events = [
      { ...parts, seq: 0n },
      { ...parts, seq: 1n },
    ];
    expect(foldEvents(emptyRatingState(), events, NO_FEED).fold.nextSeq).toBe(2);
  });
});
