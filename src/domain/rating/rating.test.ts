/** The rating apart from its factors: order of judgement, counts, reasons and summary. */

import { describe, expect, it } from 'vitest';

import {
  activityOn,
  eachDay,
  inChainOrder,
  noonOf,
  PLAIN_FACTS,
  rateEvents,
  revenueOn,
  TODAY,
} from '../../../testing/fixtures/rating-events.ts';
import { emptyRatingState, foldEvents } from './rating-state.ts';
import { createRateTable, extendRateTable } from './rate-table.ts';
import { rateMachine } from './rating.ts';

const steady = eachDay(TODAY - 120, TODAY, (day) => revenueOn(day, 50_000));
const behind = extendRateTable(createRateTable(true), [], TODAY - 2);
const inEuro = (day: number) => ({ ...revenueOn(day, 50_000), currency: 'EUR' });

describe('order of judgement', () => {
  it('checks unavailable, then not bonded, then not graduated, then the score', () => {
    const lettersOf = (parts: typeof steady) =>
      [
        { ratingUnavailable: 'indexer_behind', bondStatus: 'unbonded' },
        { bondStatus: 'unbonded' },
        { bondStatus: 'bonded' },
      ].map((facts) => rateEvents(parts, facts as object).letter);
    expect(lettersOf(steady)).toStrictEqual(['Provisioned', 'NR', 'AAA']);
    expect(lettersOf([])).toStrictEqual(['Provisioned', 'NR', 'Provisioned']);
  });

  it('explains a score below the scale in the summary', () => {
    const poor = Array.from({ length: 10 }, (_, k) => revenueOn(TODAY - 200 + k * 4, 1_000, 0));
    expect(rateEvents(poor)).toMatchObject({
      letter: 'NR',
      score: 0,
      summary: 'Not rated: 0 of 100 points, and a rating needs 30; largest deduction: low revenue.',
    });
  });
});

describe('unavailable rating', () => {
  it('contains the counts and null for everything derived from the score', () => {
    expect(
      rateEvents([...steady, inEuro(TODAY)], {
        ratingUnavailable: 'indexer_behind',
        negativeFlagAt: BigInt(noonOf(TODAY)),
      }),
    ).toStrictEqual({
      model: 'mcr/2',
      bondStatus: 'bonded',
      hasNegativeFlag: true,
      eventCount: 122,
      revenueEventCount: 122,
      activityEventCount: 0,
      totalRevenueCents: 6_050_000,
      lastUpdated: noonOf(TODAY),
      verdictCount: 121,
      hasPending: false,
      letter: 'Provisioned',
      score: 0,
      isDegraded: false,
      averageHundredths: null,
      revenueTrend: null,
      totalHundredths: null,
      factors: [],
      dormancy: null,
      anchor: null,
      reasons: [],
      summary: 'Not rated yet.',
    });
  });
});

describe('clock', () => {
  it('is raised to the newest block when it is behind', () => {
    const now = noonOf(TODAY) - 40 * 86_400;
    expect(rateEvents(steady, { now })).toStrictEqual(rateEvents(steady));
  });

  it('may be earlier over a prefix of the events', () => {
    const earlier = TODAY - 20;
    const prefix = inChainOrder(steady).slice(0, 101);
    const rated = rateMachine({ ...PLAIN_FACTS, state: emptyRatingState(), tail: prefix, now: noonOf(earlier) });
    expect(rated.lastUpdated).toBe(noonOf(earlier));
    expect(rated.dormancy).toStrictEqual({ idleDays: 0, freeDays: 14, halfDays: 14, lostHundredths: 0 });
  });
});

describe('unconverted amounts', () => {
  it.each([
    ['179 days old', true, TODAY - 179],
    ['180 days old', false, TODAY - 180],
  ])('set isDegraded when %s: %s', (_, isDegraded, day) => {
    const rating = rateEvents([inEuro(day), ...steady]);
    expect(rating.isDegraded).toBe(isDegraded);
    expect(rating.summary.endsWith('. Some amounts could not be converted to USD.')).toBe(isDegraded);
  });

  it('set hasPending while one is pending', () => {
    expect(rateEvents(steady, { rates: behind }).hasPending).toBe(false);
    expect(rateEvents([...steady, inEuro(TODAY - 1)], { rates: behind }).hasPending).toBe(false);
    expect(rateEvents([...steady, inEuro(TODAY)], { rates: behind }).hasPending).toBe(true);
  });
});

describe('averageHundredths', () => {
  it('is in hundredths of a cent, rounded down, and 0 without revenue', () => {
    const averageOf = (...cents: number[]) => rateEvents(cents.map((each) => revenueOn(TODAY, each))).averageHundredths;
    expect(averageOf(1_000, 1_000, 1_001)).toBe(100_033);
    expect(averageOf(999)).toBe(0);
    expect(rateEvents([activityOn(TODAY)]).averageHundredths).toBe(0);
  });

  it('is computed from the clamped total', () => {
    const { state } = foldEvents(emptyRatingState(), inChainOrder(steady), PLAIN_FACTS.rates);
    const full = { ...state, totalRevenueCents: Number.MAX_SAFE_INTEGER };
    const rating = rateMachine({ ...PLAIN_FACTS, state: full, tail: [] });
    expect(rating.averageHundredths).toBe(Number((100n * BigInt(Number.MAX_SAFE_INTEGER)) / 121n));
  });

  it('leaves no number of a measure above SAFE', () => {
    const { state } = foldEvents(emptyRatingState(), inChainOrder(steady), PLAIN_FACTS.rates);
    const buckets = state.buckets.map(({ day, classes }) => {
      const rich = { ...classes.attested, cents: 10n ** 20n };
      return { day, classes: { ...classes, attested: rich } };
    });
    const [revenue] = rateMachine({ ...PLAIN_FACTS, state: { ...state, buckets }, tail: [] }).factors;
    expect(revenue!.measure).toStrictEqual({
      usdCents: Number.MAX_SAFE_INTEGER,
      verifiedUsdCents: Number.MAX_SAFE_INTEGER,
    });
  });
});

describe('reasons', () => {
  it('list the notices first, then the deductions, largest first', () => {
    const facts = { bondStatus: 'unbonded', priorEvents: 1n } as const;
    const reasons = rateEvents([revenueOn(TODAY - 40, 1_000, 0)], facts).reasons;
    expect(reasons.map(({ code, lostHundredths }) => [code, lostHundredths])).toStrictEqual([
      ['not_bonded', null],
      ['not_graduated', null],
      ['history_elsewhere', null],
      ['revenue_low', 2_970],
      ['cadence_low', 2_370],
      ['trust_low', 1_600],
      ['trend_unknown', 1_500],
      ['tenure_short', 950],
      ['dormant', 379],
      ['cadence_unverified', 65],
      ['revenue_unverified', 15],
    ]);
  });

  it('keep the order of the specification when deductions are equal', () => {
    const codes = rateEvents([]).reasons.map(({ code }) => code);
    expect(codes).toStrictEqual([
      'not_graduated',
      'revenue_low',
      'cadence_low',
      'trust_none',
      'trend_unknown',
      'tenure_short',
    ]);
  });
});
