import { describe, expect, it } from 'vitest';

import { activityOn, eachDay, rateEvents, revenueOn, TODAY } from '../../../testing/fixtures/rating-events.ts';
import type { EventParts } from '../../../testing/fixtures/rating-events.ts';

const FIRST_RECENT = TODAY - 29;
const FIRST_PRIOR = TODAY - 59;

function trendOf(parts: readonly EventParts[]) {
  const { factors, revenueTrend } = rateEvents(parts);
  const { measure, pointsHundredths } = factors[2]!;
  return { ...measure, pointsHundredths, revenueTrend };
}

const prior = eachDay(FIRST_PRIOR, FIRST_RECENT - 1, (day) => revenueOn(day, 100_000));
const recent = (cents: number) => eachDay(FIRST_RECENT, TODAY, (day) => revenueOn(day, cents));

describe('trend of revenue', () => {
  it.each([
    [39_000, 39, 585, 'down'],
    [40_000, 40, 600, 'down'],
    [79_999, 79, 1_477, 'down'],
    [80_000, 80, 1_500, 'stable'],
    [100_000, 100, 1_500, 'stable'],
  ])('scores %i of 100,000 cents a day as %i percent', (cents, percent, pointsHundredths, revenueTrend) => {
    expect(trendOf([...prior, ...recent(cents)])).toStrictEqual({
      basis: 'revenue',
      percent,
      evenPercent: percent,
      pointsHundredths,
      revenueTrend,
    });
  });

  it.each([
    [125_999, 125, 'stable'],
    [126_000, 126, 'up'],
    [1_100_000, 1_000, 'up'],
  ])('earns nothing for growth: %i cents', (cents, percent, revenueTrend) => {
    expect(trendOf([...prior, ...recent(cents)])).toStrictEqual({
      basis: 'revenue',
      percent,
      evenPercent: 100,
      pointsHundredths: 1_500,
      revenueTrend,
    });
  });

  it('cuts a burst to the best prior day', () => {
    expect(trendOf([...prior, revenueOn(TODAY, 3_000_000)])).toMatchObject({ percent: 100, evenPercent: 3 });
  });

  it('compares days 0 to 29 with days 30 to 59', () => {
    const old = revenueOn(FIRST_PRIOR, 10_000);
    expect(trendOf([old, revenueOn(FIRST_RECENT, 10_000)])).toMatchObject({ percent: 100 });
    expect(trendOf([old, revenueOn(FIRST_RECENT - 1, 10_000)])).toMatchObject({ percent: 0 });
    const before = revenueOn(FIRST_PRIOR - 1, 10_000);
    expect(trendOf([before, revenueOn(FIRST_RECENT, 10_000)])).toMatchObject({ basis: 'none' });
  });

  it('ignores days without revenue in between', () => {
    expect(
      trendOf([revenueOn(FIRST_PRIOR, 10_000), activityOn(FIRST_PRIOR + 1), revenueOn(TODAY, 10_000)]),
    ).toStrictEqual({
      basis: 'revenue',
      percent: 100,
      evenPercent: 100,
      pointsHundredths: 1_500,
      revenueTrend: 'stable',
    });
  });
});

describe('trend of activity', () => {
  it('applies when the prior days have no revenue, and earns half', () => {
    const parts = eachDay(FIRST_PRIOR, TODAY, (day) => activityOn(day));
    expect(trendOf([...parts, revenueOn(TODAY, 10_000)])).toStrictEqual({
      basis: 'activity',
      percent: 100,
      evenPercent: 100,
      pointsHundredths: 750,
      revenueTrend: 'insufficient',
    });
  });

  it('earns less when half of the ladder is not reached', () => {
    const parts = [
      ...eachDay(FIRST_PRIOR, FIRST_RECENT - 1, (day) => activityOn(day)),
      ...eachDay(TODAY - 11, TODAY, (day) => activityOn(day)),
    ];
    expect(trendOf(parts)).toMatchObject({ percent: 40, pointsHundredths: 600 });
  });
});

describe('unknown trend', () => {
  it.each([
    ['history that is one day too short', [revenueOn(FIRST_PRIOR + 1, 10_000), revenueOn(TODAY, 10_000)], 600],
    ['no recent events', [revenueOn(FIRST_PRIOR + 1, 10_000)], 0],
    ['no prior events', [revenueOn(FIRST_PRIOR - 1, 10_000), activityOn(FIRST_RECENT)], 600],
    ['no events', [], 0],
  ])('has no basis with %s', (_, parts, pointsHundredths) => {
    expect(trendOf(parts)).toStrictEqual({
      basis: 'none',
      percent: null,
      evenPercent: null,
      pointsHundredths,
      revenueTrend: 'insufficient',
    });
  });
});
