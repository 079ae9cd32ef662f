/** Arbitraries for rating properties: event histories, events of every kind and near every limit, and growing rate tables. */

import fc from 'fast-check';

import { SECONDS_PER_DAY } from '../../src/domain/rating/utc-day.ts';
import {
  ACTIVITY_TYPE,
  EARLY_AFTER_SECONDS,
  LATE_AFTER_SECONDS,
  REVENUE_TYPE,
} from '../../src/domain/rating/constants.ts';
import type { DECLARED, EventForm, EventParts } from '../fixtures/rating-events.ts';
import { attestedAt, inChainOrder, noonOf, TODAY } from '../fixtures/rating-events.ts';
import type { RatingEvent } from '../../src/domain/rating/event.ts';
import type { RateTable } from '../../src/domain/rating/rate-table.ts';
import { createRateTable, extendRateTable } from '../../src/domain/rating/rate-table.ts';
import type { RatingInput } from '../../src/domain/rating/rating.ts';

const UINT256_MAX = 2n ** 256n - 1n;

/** EUR has a rate on four days of seven, SUS has none after the first 100 days, TKN has its own decimals. */
const RATED = ['EUR', 'SUS', 'TKN'];
const CURRENCIES = ['USD', 'USD', 'USD', ...RATED, 'FIX', 'JUNKJUNKJU'];
const HISTORY_DAYS = 500;
const FIRST_DAY = TODAY - HISTORY_DAYS;

const trustLevel = fc.constantFrom(0, 1, 2);

/** Evidence, mostly declared; only events of trust level 2 can be attested. */
const evidence = fc.record({
  attested: fc.boolean(),
  paidCents: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1_000, max: 60_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(100_000, 100_001, 10 ** 9) },
  ),
});

/** Adds evidence to events of any form. */
function withEvidence<F extends Omit<EventForm, keyof typeof DECLARED>>(
  form: fc.Arbitrary<F>,
): fc.Arbitrary<EventForm> {
  return fc.tuple(form, evidence).map(([each, { attested, paidCents }]) => ({
    ...each,
    attested: attested && each.trust === 2,
    paidCents,
    changedHandsBefore: undefined,
  }));
}

/** Minor units: mostly typical, some around the minimum and maximum amounts, some extreme. */
const value = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(500n, 60_000n) },
  { weight: 2, arbitrary: fc.constantFrom(0n, 999n, 1_000n, 1_001n, 99_999n, 100_000n, 100_001n) },
  { weight: 1, arbitrary: fc.constantFrom(10n ** 9n - 1n, 10n ** 9n, 10n ** 9n + 1n, UINT256_MAX) },
);

const revenueIn = (...currencies: readonly string[]) =>
  fc.record({ type: fc.constant(REVENUE_TYPE), value, currency: fc.constantFrom(...currencies), trust: trustLevel });
const activityIn = (currency: string) =>
  fc.record({ type: fc.constant(ACTIVITY_TYPE), value, currency: fc.constant(currency), trust: trustLevel });

const wellFormed = withEvidence(fc.oneof(revenueIn(...CURRENCIES), activityIn('')));

const malformed = withEvidence(
  fc.oneof(
    fc.record({ type: fc.constant(2), value, currency: fc.constant('USD'), trust: trustLevel }),
    revenueIn('usd', 'US', ''),
    activityIn('USD'),
    fc.record({ type: fc.constant(REVENUE_TYPE), value, currency: fc.constant('USD'), trust: fc.constantFrom(3, 255) }),
  ),
);

/** Offset in seconds from the block to an event that is neither late nor early. */
const onTime = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -600, max: 0 }) },
  { weight: 1, arbitrary: fc.integer({ min: -LATE_AFTER_SECONDS, max: EARLY_AFTER_SECONDS }) },
  { weight: 1, arbitrary: fc.constantFrom(-LATE_AFTER_SECONDS, EARLY_AFTER_SECONDS) },
);

const outOfTime = fc.oneof(
  fc.integer({ min: -1_000 * SECONDS_PER_DAY, max: -LATE_AFTER_SECONDS - 1 }),
  fc.integer({ min: EARLY_AFTER_SECONDS + 1, max: 10 ** 9 }),
);

const place = (form: EventForm, blockTimestamp: number, offset: number): EventParts => ({
  ...form,
  blockTimestamp,
  timestamp: BigInt(blockTimestamp + offset),
});

/** A block time within a history; many of them coincide, as for events of one block. */
const blockTimestamp = fc.oneof(
  fc.integer({ min: noonOf(FIRST_DAY), max: noonOf(TODAY) }),
  fc.integer({ min: 0, max: HISTORY_DAYS }).map((days) => noonOf(FIRST_DAY + days)),
  fc.integer({ min: 0, max: 70 }).map((days) => noonOf(TODAY - days)),
);

const scattered = fc.array(
  fc
    .tuple(
      fc.oneof({ weight: 9, arbitrary: wellFormed }, { weight: 1, arbitrary: malformed }),
      blockTimestamp,
      fc.oneof({ weight: 9, arbitrary: onTime }, { weight: 1, arbitrary: outOfTime }),
    )
    .map(([form, block, offset]) => place(form, block, offset)),
  { maxLength: 60 },
);

/** The same few events at a regular interval, over part of the history. */
const rhythmic = fc
  .record({
    forms: fc.array(wellFormed, { minLength: 1, maxLength: 3 }),
    everyDays: fc.constantFrom(1, 1, 2, 3, 7, 28),
    firstDaysAgo: fc.integer({ min: 20, max: HISTORY_DAYS }),
    lastDaysAgo: fc.oneof({ weight: 2, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.integer({ min: 0, max: 90 })),
  })
  .map(({ forms, everyDays, firstDaysAgo, lastDaysAgo }) => {
    const parts: EventParts[] = [];
    for (let ago = firstDaysAgo; ago >= lastDaysAgo; ago -= everyDays) {
      for (const form of forms) parts.push(place(form, noonOf(TODAY - ago), -30));
    }
    return parts;
  });

/** More activity on a few days than the daily maximum. */
const crowded = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 10 }), trustLevel, fc.integer({ min: 1, max: 30 })), { maxLength: 6 })
  .map((days) =>
    days.flatMap(([ago, trust, count]) => {
      const form = { type: ACTIVITY_TYPE, value: 0n, currency: '', ...attestedAt(trust) };
      return Array.from({ length: count }, () => place(form, noonOf(TODAY - ago), 0));
    }),
  );

/** Generates the events of a machine in chain order, none stored after noon of `TODAY`. */
export const eventHistory: fc.Arbitrary<RatingEvent[]> = fc
  .tuple(
    scattered,
    fc.array(rhythmic, { maxLength: 3, size: 'max' }),
    crowded,
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(blockTimestamp, { maxLength: 3 })),
  )
  .map(([loose, rhythms, crowd, changes]) =>
    withChangesOfHands(inChainOrder([...loose, ...rhythms.flat(), ...crowd]), changes),
  );

/** Returns the events with changes of hands at the ends of the blocks of these times, and no others. */
export function withChangesOfHands(events: readonly RatingEvent[], times: readonly number[]): RatingEvent[] {
  return events.map((event, index) => {
    const after = events[index - 1]?.blockTimestamp ?? 0;
    const between = times.filter((time) => time >= after && time < event.blockTimestamp);
    return { ...event, changedHandsBefore: between.length === 0 ? undefined : Math.min(...between) };
  });
}

/** Generates one sound event, in USD or of activity, stored at the given time and at most 7 days old. */
export const soundEventAt = (now: number): fc.Arbitrary<EventParts> =>
  fc
    .tuple(withEvidence(fc.oneof(revenueIn('USD'), activityIn(''))), fc.integer({ min: -LATE_AFTER_SECONDS, max: 0 }))
    .map(([form, offset]) => place(form, now, offset));

/** Generates one event that must not qualify, stored at the given time. */
export const nonQualifyingEventAt = (now: number): fc.Arbitrary<EventParts> =>
  fc.oneof(
    malformed.map((form) => place(form, now, 0)),
    fc.tuple(wellFormed, outOfTime).map(([form, offset]) => place(form, now, offset)),
    withEvidence(
      fc.record({
        type: fc.constant(REVENUE_TYPE),
        value: fc.bigInt(0n, 999n),
        currency: fc.constant('USD'),
        trust: trustLevel,
      }),
    ).map((form) => place(form, now, 0)),
  );

/** Generates the facts of a machine at the given time. */
export const factsAt = (
  now: number,
): fc.Arbitrary<Pick<RatingInput, 'negativeFlagAt' | 'trustOverride' | 'bondStatus' | 'operatorVerified'>> =>
  fc.record({
    negativeFlagAt: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0n) },
      {
        weight: 1,
        arbitrary: fc.integer({ min: now - 400 * SECONDS_PER_DAY, max: now + 2 * SECONDS_PER_DAY }).map(BigInt),
      },
      { weight: 1, arbitrary: fc.constant(UINT256_MAX) },
    ),
    trustOverride: fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
    ),
    bondStatus: fc.constantFrom('bonded', 'bonded', 'bonded', 'unbonded'),
    operatorVerified: fc.boolean(),
  });

/** Creates the rate table of a feed that is complete up to a day. */
export function tableThrough(throughDay: number): RateTable {
  const tokens = new Map([
    ['FIX', { decimals: 18, fixedRate: 1_500_000_000_000n }],
    ['TKN', { decimals: 3 }],
  ]);
  const rows = RATED.flatMap((currency) =>
    Array.from({ length: throughDay - FIRST_DAY + 20 }, (_, index) => FIRST_DAY - 19 + index)
      .filter((day) => day % 7 < 4 && (currency !== 'SUS' || day < FIRST_DAY + 100))
      .map((day) => ({ currency, day, rate: 1_000_000_000_000n + BigInt(day % 1_000) })),
  );
  return extendRateTable(createRateTable(true, tokens), rows, throughDay);
}

/** Generates the days up to which a table grows, ascending. */
export const tableGrowth = fc
  .array(fc.integer({ min: FIRST_DAY, max: TODAY }), { minLength: 1, maxLength: 6 })
  .map((days) => days.sort((a, b) => a - b));
