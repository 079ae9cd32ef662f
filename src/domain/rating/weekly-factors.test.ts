/** Boundary cases of revenue and cadence, the factors of the last 14 weeks. `TODAY` is a Monday. */

import { describe, expect, it } from 'vitest';

import { activityOn, eachDay, rateEvents, revenueOn, TODAY } from '../../../testing/fixtures/rating-events.ts';
import type { EventParts } from '../../../testing/fixtures/rating-events.ts';
import type { Rating } from './rating.ts';

const FIRST_MONDAY = TODAY - 13 * 7;
const MONDAYS = Array.from({ length: 14 }, (_, k) => FIRST_MONDAY + 7 * k);

const factorOf = (rating: Rating, index: number) => rating.factors[index]!;
const revenueOf = (parts: readonly EventParts[]) => factorOf(rateEvents(parts), 0);
const cadenceOf = (parts: readonly EventParts[]) => factorOf(rateEvents(parts), 1);
const eachWeek = (make: (monday: number) => EventParts[]): EventParts[] => MONDAYS.flatMap(make);

describe('revenue', () => {
  it.each([
    [999, 0],
    [1_000, 400],
    [3_000, 700],
    [5_000, 1_000],
    [10_000, 1_400],
    [25_000, 1_900],
    [50_000, 2_300],
    [100_000, 2_700],
    [249_999, 2_999],
    [250_000, 3_000],
    [10_000_000, 3_000],
  ])('scores %i verified cents a week as %i h', (cents, points) => {
    expect(revenueOf(eachWeek((day) => [revenueOn(day, cents, 1)])).pointsHundredths).toBe(points);
  });

  it('earns half when declared', () => {
    expect(revenueOf(eachWeek((day) => [revenueOn(day, 250_000, 0)]))).toStrictEqual({
      name: 'revenue',
      pointsHundredths: 1_500,
      maxHundredths: 3_000,
      measure: { usdCents: 3_500_000, verifiedUsdCents: 0 },
    });
  });

  it('uses the larger ladder in each week', () => {
    const heartbeats = (day: number) => Array.from({ length: 7 }, () => activityOn(day, 2));
    expect(revenueOf(eachWeek(heartbeats)).pointsHundredths).toBe(300);
    expect(revenueOf(eachWeek((day) => [...heartbeats(day), revenueOn(day, 1_000, 1)])).pointsHundredths).toBe(400);
  });

  it.each([
    [6, 257],
    [7, 300],
    [34, 589],
    [35, 600],
  ])('scores %i activity events a week as %i h', (count, points) => {
    const events = eachWeek((monday) =>
      Array.from({ length: count }, (_, k) => activityOn(Math.min(monday + (k % 7), TODAY), 2)),
    );
    // The current week has one day, with at most 24 events, and is the one left out.
    expect(revenueOf(events).measure).toStrictEqual({ usdCents: 0, verifiedUsdCents: 0 });
    expect(revenueOf(events).pointsHundredths).toBe(points);
  });

  it('reaches 1000 h with 168 heartbeats a week', () => {
    const events = eachDay(FIRST_MONDAY, TODAY, (day) => Array.from({ length: 24 }, () => activityOn(day)));
    expect(revenueOf(events).pointsHundredths).toBe(1_000);
    expect(revenueOf(events.slice(0, -24)).pointsHundredths).toBe(1_000);
    expect(revenueOf(events.slice(0, -25)).pointsHundredths).toBe(999);
  });

  it('covers the current week and the 13 before it, without the lowest one', () => {
    const paid = MONDAYS.map((day) => revenueOn(day, 250_000));
    expect(revenueOf(paid.slice(1)).pointsHundredths).toBe(3_000);
    expect(revenueOf(paid.slice(2)).pointsHundredths).toBe(Math.floor((12 * 3_000) / 13));
    expect(revenueOf([revenueOn(FIRST_MONDAY, 250_000)]).pointsHundredths).toBe(Math.floor(3_000 / 13));
    expect(revenueOf([revenueOn(FIRST_MONDAY - 1, 250_000)]).pointsHundredths).toBe(0);
  });

  it('leaves out the lowest week of all and of verified events independently', () => {
    const parts = [
      ...MONDAYS.slice(0, 7).map((day) => revenueOn(day, 250_000, 1)),
      ...MONDAYS.slice(7, 13).map((day) => revenueOn(day, 250_000, 0)),
    ];
    const rating = rateEvents(parts);
    // A = 13 × 3000, V = 7 × 3000.
    expect(factorOf(rating, 0).pointsHundredths).toBe(Math.floor((39_000 + 21_000) / 26));
    const deductions = Object.fromEntries(rating.reasons.map(({ code, lostHundredths }) => [code, lostHundredths]));
    expect(deductions['revenue_unverified']).toBe(Math.floor(18_000 / 26));
    expect(deductions['revenue_low']).toBe(3_000 - 2_307 - 692);
  });
});

describe('cadence', () => {
  it('counts weeks up to 13 and days up to 65', () => {
    const days = (count: number) => eachDay(FIRST_MONDAY, FIRST_MONDAY + count - 1, (day) => revenueOn(day, 1_000));
    // 64 days from a Monday span 10 weeks.
    expect(cadenceOf(days(64)).pointsHundredths).toBe(Math.floor((1_500 * 10) / 13) + Math.floor((1_000 * 64) / 65));
    expect(cadenceOf(days(65)).pointsHundredths).toBe(Math.floor((1_500 * 10) / 13) + 1_000);
    expect(cadenceOf(days(85)).pointsHundredths).toBe(2_500);
    expect(cadenceOf(days(84)).pointsHundredths).toBe(Math.floor((1_500 * 12) / 13) + 1_000);
  });

  it('earns half when declared', () => {
    const parts = eachDay(FIRST_MONDAY, TODAY, (day) => [revenueOn(day, 1_000, 0)]);
    expect(cadenceOf(parts)).toStrictEqual({
      name: 'cadence',
      pointsHundredths: 1_250,
      maxHundredths: 2_500,
      measure: { weeks: 14, days: 92, verifiedWeeks: 0, verifiedDays: 0 },
    });
  });

  it('earns the other half by verified days, and explains both deductions', () => {
    const parts = eachDay(FIRST_MONDAY, TODAY, (day) => revenueOn(day, 1_000, day === TODAY ? 1 : 0));
    const rating = rateEvents(parts);
    const verified = Math.floor(1_500 / 13) + Math.floor(1_000 / 65);
    expect(factorOf(rating, 1).pointsHundredths).toBe(Math.floor((2_500 + verified) / 2));
    const reason = rating.reasons.find(({ code }) => code === 'cadence_unverified');
    expect(reason?.lostHundredths).toBe(Math.floor((2_500 - verified) / 2));
  });
});
