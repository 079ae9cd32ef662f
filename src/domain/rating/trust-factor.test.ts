import { describe, expect, it } from 'vitest';

import { activityOn, noonOf, rateEvents, revenueOn, TODAY } from '../../../testing/fixtures/rating-events.ts';
import type { EventParts } from '../../../testing/fixtures/rating-events.ts';
import type { TrustFactor } from './factor.ts';
import type { RatingInput } from './rating.ts';

const NOW = noonOf(TODAY);

function trustOf(parts: readonly EventParts[], facts: Partial<RatingInput> = {}) {
  const { factors, hasNegativeFlag } = rateEvents(parts, facts);
  const { measure, pointsHundredths } = factors[3] as TrustFactor;
  const { source, percentHundredths } = measure;
  return { source, percentHundredths, pointsHundredths, hasNegativeFlag };
}

const signed = [revenueOn(TODAY, 10_000, 2)];
const trusted = { source: 'events', percentHundredths: 10_000, pointsHundredths: 2_000, hasNegativeFlag: false };

describe('trust of events', () => {
  it.each([
    ['declared revenue', revenueOn(TODAY, 10_000, 0), 2_000, 400],
    ['paid revenue', revenueOn(TODAY, 10_000, 1), 7_000, 1_400],
    ['attested revenue', revenueOn(TODAY, 10_000, 2), 10_000, 2_000],
    ['declared activity', activityOn(TODAY, 0), 2_000, 400],
    ['attested activity', activityOn(TODAY, 2), 10_000, 2_000],
  ])('scores %s', (_, event, percentHundredths, pointsHundredths) => {
    {
      expect(trustOf([event])).toStrictEqual({
        source: 'events',
        percentHundredths,
        pointsHundredths,
        hasNegativeFlag: false,
      });
    }
  });

  it('weights revenue by cents up to 100,000 and activity as 100', () => {
    const percentOf = (parts: EventParts[]) => trustOf(parts).percentHundredths;
    const mean = (signedWeight: number, reportedWeight: number): number =>
      Math.floor((signedWeight * 10_000 + reportedWeight * 2_000) / (signedWeight + reportedWeight));
    const reported = revenueOn(TODAY, 50_000, 0);
    expect(percentOf([revenueOn(TODAY, 99_999, 2), reported])).toBe(mean(99_999, 50_000));
    expect(percentOf([revenueOn(TODAY, 100_001, 2), reported])).toBe(mean(100_000, 50_000));
    expect(percentOf([activityOn(TODAY, 2), revenueOn(TODAY, 1_000, 0)])).toBe(mean(100, 1_000));
  });

  it('weights at most 24 activity events of a day, attested ones first', () => {
    const many = (count: number, trust: number) => Array.from({ length: count }, () => activityOn(TODAY, trust));
    expect(trustOf([...many(24, 0), ...many(20, 2)]).percentHundredths).toBe(
      Math.floor((20 * 10_000 + 4 * 2_000) / 24),
    );
  });

  it('covers 180 days, today included', () => {
    expect(trustOf([revenueOn(TODAY - 179, 10_000)])).toStrictEqual(trusted);
    expect(trustOf([revenueOn(TODAY - 180, 10_000)])).toStrictEqual({
      source: 'none',
      percentHundredths: 0,
      pointsHundredths: 0,
      hasNegativeFlag: false,
    });
  });

  it.each([
    [51, 0, 2_000],
    [52, 0, 3_000],
    [52, 1, 7_000],
  ])('rises with tenure: %i weeks of class %i', (weeks, trust, percentHundredths) => {
    const parts = Array.from({ length: weeks }, (_, k) => revenueOn(TODAY - 7 * k, 10_000, trust));
    expect(trustOf(parts).percentHundredths).toBe(percentHundredths);
  });

  it('rises with tenure to 60 percent and no further', () => {
    const weekly = Array.from({ length: 52 }, (_, k) => revenueOn(TODAY - 7 * k, 10_000, 0));
    const raised = (signedCents: number) => trustOf([...weekly, revenueOn(TODAY, signedCents, 2)]).percentHundredths;
    const weeksInWindow = 26;
    const mean = (signedCents: number): number =>
      Math.floor((weeksInWindow * 10_000 * 2_000 + signedCents * 10_000) / (weeksInWindow * 10_000 + signedCents));
    expect(raised(90_000)).toBe(mean(90_000) + 1_000);
    const fiveGiants = Array.from({ length: 5 }, () => revenueOn(TODAY, 100_000, 2));
    expect(trustOf([...weekly, ...fiveGiants]).percentHundredths).toBe(Math.max(mean(500_000), 6_000));
    const twoGiants = Array.from({ length: 2 }, () => revenueOn(TODAY, 100_000, 2));
    expect(trustOf([...weekly, ...twoGiants]).percentHundredths).toBe(6_000);
  });
});

describe('trust override', () => {
  it.each([
    [0, 0, 0],
    [55, 5_500, 1_100],
    [100, 10_000, 2_000],
    [101, 10_000, 2_000],
  ])('replaces the trust of events by %i percent', (trustOverride, percentHundredths, pointsHundredths) => {
    const trust = { source: 'override', percentHundredths, pointsHundredths, hasNegativeFlag: false };
    expect(trustOf(signed, { trustOverride })).toStrictEqual(trust);
    expect(trustOf([], { trustOverride })).toStrictEqual(trust);
  });
});

describe('negative flag', () => {
  const flagged = { source: 'flag', percentHundredths: 0, pointsHundredths: 0, hasNegativeFlag: true };

  it.each([
    ['set just now', NOW, flagged],
    ['one second younger than 180 days', NOW - 15_552_000 + 1, flagged],
    ['180 days old', NOW - 15_552_000, { ...trusted, hasNegativeFlag: true }],
    ['of 2020-01-01', 1_577_836_800, { ...trusted, hasNegativeFlag: true }],
    ['one second before 2020-01-01', 1_577_836_799, trusted],
    ['one day ahead', NOW + 86_400, flagged],
    ['more than one day ahead', NOW + 86_401, trusted],
    ['of 0, which means none', 0, trusted],
  ])('is judged by its date when %s', (_, negativeFlagAt, trust) => {
    expect(trustOf(signed, { negativeFlagAt: BigInt(negativeFlagAt) })).toStrictEqual(trust);
  });

  it('is ignored at 2^256 - 1', () => {
    expect(trustOf(signed, { negativeFlagAt: 2n ** 256n - 1n })).toStrictEqual(trusted);
  });

  it('takes precedence over an override', () => {
    expect(trustOf(signed, { negativeFlagAt: BigInt(NOW), trustOverride: 100 })).toStrictEqual(flagged);
  });
});
