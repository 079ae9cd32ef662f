import { describe, expect, it } from 'vitest';

import {
  activityOn,
  attestedAt,
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

const stateOf = (parts: readonly EventParts[], rates = NO_FEED): RatingState =>
  foldEvents(emptyRatingState(), inChainOrder(parts), rates).state;

const NOTHING = { cents: 0n, weight: 0, activity: 0 };

describe('foldEvents', () => {
  it('returns the counts and buckets that a later rating needs', () => {
    const rates = extendRateTable(createRateTable(true), [], TODAY);
    const parts = [
      revenueOn(TODAY - 40, 250_000, 1),
      revenueOn(TODAY - 40, 1_000, 1),
      activityOn(TODAY - 40, 0),
      revenueOn(TODAY - 39, 999, 2),
      { ...revenueOn(TODAY - 1, 5_000, 2), currency: 'JUNK' },
      { ...activityOn(TODAY, 2), currency: 'USD' },
    ];
    expect(stateOf(parts, rates)).toStrictEqual({
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
      rhythmDays: 2,
      lastUnconvertedDay: TODAY - 1,
      buckets: [
        {
          day: TODAY - 40,
          classes: {
            declared: { ...NOTHING, activity: 1 },
            paid: { cents: 251_000n, weight: 101_000, activity: 0 },
            attested: NOTHING,
          },
        },
        { day: TODAY - 1, classes: { declared: NOTHING, paid: NOTHING, attested: { ...NOTHING, activity: 1 } } },
      ],
      verdictDays: [{ day: TODAY - 40, count: 2 }],
    });
  });

  it('does not modify its input', () => {
    const before = stateOf([revenueOn(TODAY, 5_000)]);
    const copy = structuredClone(before);
    foldEvents(before, [{ ...revenueOn(TODAY, 5_000), seq: 1 }], NO_FEED);
    expect(before).toStrictEqual(copy);
  });

  it('retains the 180 days up to the newest block', () => {
    const parts = eachDay(TODAY - 400, TODAY, (day) => revenueOn(day, 5_000));
    const state = stateOf(parts);
    expect(state.buckets.map(({ day }) => day)).toStrictEqual(Array.from({ length: 180 }, (_, k) => TODAY - 179 + k));
    expect(state.qualifyingDays).toBe(401);
    expect(state.firstQualifyingDay).toBe(TODAY - 400);
  });

  it('drops old days also for an event that does not qualify', () => {
    const parts = [revenueOn(TODAY - 179, 5_000), { ...activityOn(TODAY), type: 2 }];
    expect(stateOf(parts).buckets).toHaveLength(1);
    expect(stateOf([...parts, { ...activityOn(TODAY + 1), type: 2 }]).buckets).toHaveLength(0);
  });

  it('counts a week once, in any order of its days', () => {
    const [monday, sunday] = [TODAY - 7, TODAY - 1];
    const block = noonOf(TODAY - 1);
    const eventOn = (day: number): EventParts => ({ ...revenueOn(day, 5_000), blockTimestamp: block });
    const orders = [
      [monday, monday + 3, sunday],
      [sunday, monday, monday + 3],
      [monday + 3, sunday, monday],
    ];
    for (const days of orders) {
      const state = stateOf(days.map(eventOn));
      expect(state.qualifyingWeeks).toBe(1);
      expect(state.qualifyingDays).toBe(3);
      expect(state.buckets.map(({ day }) => day)).toStrictEqual([monday, monday + 3, sunday]);
    }
    expect(stateOf([eventOn(monday), eventOn(monday - 1)]).qualifyingWeeks).toBe(2);
  });

  it('counts 24 activity events of a day and retains up to 24 per class', () => {
    const many = (count: number, trust: number) => Array.from({ length: count }, () => activityOn(TODAY, trust));
    expect(stateOf(many(24, 0)).qualifyingEvents).toBe(24);
    expect(stateOf(many(25, 0)).qualifyingEvents).toBe(24);
    const state = stateOf([...many(30, 0), ...many(30, 2), revenueOn(TODAY, 5_000)]);
    expect(state.qualifyingEvents).toBe(25);
    const { declared, paid, attested } = state.buckets[0]!.classes;
    expect([declared, paid, attested].map(({ activity }) => activity)).toStrictEqual([24, 0, 24]);
  });

  it('records the newest unconverted day, in any order of events', () => {
    const inEuro = (day: number) => ({ ...revenueOn(TODAY, 5_000), timestamp: BigInt(noonOf(day)), currency: 'EUR' });
    expect(stateOf([inEuro(TODAY - 3), inEuro(TODAY - 1)]).lastUnconvertedDay).toBe(TODAY - 1);
    expect(stateOf([inEuro(TODAY - 1), inEuro(TODAY - 3)]).lastUnconvertedDay).toBe(TODAY - 1);
  });

  it('adds revenue exactly beyond 2^53', () => {
    const start = stateOf([revenueOn(TODAY, 10n ** 9n)]);
    const [bucket] = start.buckets;
    const { classes } = bucket!;
    const rich: RatingState = {
      ...start,
      totalRevenueCents: Number.MAX_SAFE_INTEGER - 10 ** 9,
      buckets: [{ day: TODAY, classes: { ...classes, attested: { ...classes.attested, cents: 10n ** 20n } } }],
    };
    const once = foldEvents(rich, [{ ...revenueOn(TODAY, 10n ** 9n), seq: 1 }], NO_FEED).state;
    expect(once.totalRevenueCents).toBe(Number.MAX_SAFE_INTEGER);
    const twice = foldEvents(once, [{ ...revenueOn(TODAY, 1_001), seq: 2 }], NO_FEED).state;
    expect(twice.totalRevenueCents).toBe(Number.MAX_SAFE_INTEGER);
    expect(twice.buckets[0]!.classes.attested.cents).toBe(10n ** 20n + 10n ** 9n + 1_001n);
  });
});

describe('handling of a pending event', () => {
  const rates = extendRateTable(createRateTable(true), [], TODAY - 2);
  const events = inChainOrder([
    revenueOn(TODAY - 1, 5_000),
    { ...revenueOn(TODAY, 5_000), currency: 'EUR' },
    activityOn(TODAY),
  ]);

  it('stops foldEvents before it', () => {
    const { state, folded } = foldEvents(emptyRatingState(), events, rates);
    expect(folded).toBe(1);
    expect(state).toStrictEqual(foldEvents(emptyRatingState(), events.slice(0, 1), rates).state);
  });

  it('adds it in previewFold as unconverted, with the events after it', () => {
    const { state, hasPending } = previewFold(emptyRatingState(), events, rates);
    expect(hasPending).toBe(true);
    expect(state).toMatchObject({ nextSeq: 3, revenueEvents: 2, qualifyingEvents: 2, lastUnconvertedDay: TODAY });
  });

  it('returns the same state from previewFold without events', () => {
    const state = stateOf([revenueOn(TODAY, 5_000)]);
    const preview = previewFold(state, [], rates);
    expect(preview).toEqual({ state, hasPending: false });
    expect(preview.state).toBe(state);
  });

  it('does not stop at one that is late, early or malformed', () => {
    const block = noonOf(TODAY);
    const nonQualifying = [
      { ...events[1]!, timestamp: BigInt(block - 604_801) },
      { ...events[1]!, timestamp: BigInt(block + 901) },
      { ...events[1]!, trust: 3 },
    ];
    for (const event of nonQualifying)
      expect(foldEvents(emptyRatingState(), [{ ...event, seq: 0 }], rates).folded).toBe(1);
  });
});

describe('EventsUnreadable', () => {
  const [first, second] = inChainOrder([revenueOn(TODAY - 1, 5_000), revenueOn(TODAY, 5_000)]);

  it.each([
    ['a missing position', [first!, { ...second!, seq: 2 }], 'seq_gap', 1],
    ['a duplicate position', [first!, { ...second!, seq: 0 }], 'seq_gap', 1],
    ['a first position other than 0', [second!], 'seq_gap', 0],
    ['a position that is NaN', [{ ...first!, seq: Number.NaN }], 'seq_gap', 0],
    ['a large position that rounds to the next', [first!, { ...second!, seq: 2n ** 64n + 1n }], 'seq_gap', 1],
    ['a missing block time', [first!, { ...second!, blockTimestamp: Number.NaN }], 'block_time_missing', 1],
    ['a fractional block time', [{ ...first!, blockTimestamp: 1.5 }], 'block_time_missing', 0],
    [
      'a decreasing block time',
      [first!, { ...second!, blockTimestamp: noonOf(TODAY - 1) - 1 }],
      'block_time_falling',
      1,
    ],
    ['a negative block time', [{ ...first!, blockTimestamp: -1 }], 'block_time_falling', 0],
  ] as const)('is thrown for %s', (_, events, problem, seq) => {
    const error = new EventsUnreadable(problem, seq);
    expect(() => foldEvents(emptyRatingState(), events, NO_FEED)).toThrow(error);
    expect(() => previewFold(emptyRatingState(), events, NO_FEED)).toThrow(error);
  });

  it('has its own error name', () => {
    expect(new EventsUnreadable('seq_gap', 1).name).toBe('EventsUnreadable');
  });

  it('is thrown when events do not continue a state', () => {
    const state = stateOf([first!]);
    expect(() => previewFold(state, [{ ...second!, seq: 2 }], NO_FEED)).toThrow(new EventsUnreadable('seq_gap', 1));
    const falling = { ...second!, blockTimestamp: noonOf(TODAY - 1) - 1 };
    expect(() => previewFold(state, [falling], NO_FEED)).toThrow(new EventsUnreadable('block_time_falling', 1));
  });

  it('is not thrown for bigint positions and blocks at time 0', () => {
    const parts = storedAt(0, { type: 1, value: 0n, currency: '', ...attestedAt(0) });
    const events = [
      { ...parts, seq: 0n },
      { ...parts, seq: 1n },
    ];
    expect(foldEvents(emptyRatingState(), events, NO_FEED).state.nextSeq).toBe(2);
  });
});
