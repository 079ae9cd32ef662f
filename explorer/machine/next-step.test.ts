/** The next step of a deduction: the points that it promises are those of the model. */
import { describe, expect, it } from 'vitest';
import { formatPoints } from '../parts/formats.ts';
import type { Explanation, Factor } from '../parts/wire.ts';
import { describeStep } from './next-step.ts';
import { rateScenario } from './what-if.ts';

const NOW = 1_772_452_800;

interface Facts {
  readonly revenue?: readonly [points: number, cents: number, verified: number];
  readonly cadence?: readonly [
    points: number,
    weeks: number,
    days: number,
    verifiedWeeks: number,
    verifiedDays: number,
  ];
  readonly trend?: number;
  readonly trust?: number;
  readonly tenure?: readonly [points: number, weeks: number];
  readonly operatorVerified?: boolean;
  readonly flaggedAt?: number;
  readonly isAlt?: boolean;
  readonly followsPayments?: boolean;
}

function explain({
  revenue = [0, 0, 0],
  cadence = [0, 0, 0, 0, 0],
  trend = 0,
  trust = 0,
  tenure = [0, 0],
  operatorVerified = true,
  flaggedAt = 0,
  isAlt = false,
  followsPayments = true,
}: Facts): Explanation {
  const [weeks, days, verified_weeks, verified_days] = cadence.slice(1) as [number, number, number, number];
  const factors: readonly Factor[] = [
    {
      ...{ name: 'revenue', points_hundredths: revenue[0], max_hundredths: 3_000 },
      measure: { usd_cents: revenue[1], verified_usd_cents: revenue[2] },
    },
    {
      ...{ name: 'cadence', points_hundredths: cadence[0], max_hundredths: 2_500 },
      measure: { weeks, days, verified_weeks, verified_days },
    },
    {
      ...{ name: 'trend', points_hundredths: trend, max_hundredths: 1_500 },
      measure: { basis: 'revenue', percent: 40, even_percent: 40 },
    },
    {
      ...{ name: 'trust', points_hundredths: trust, max_hundredths: 2_000 },
      measure: {
        ...{ source: 'events', percent_hundredths: 2_000 },
        ...{ declared_usd_cents: 0, paid_usd_cents: 0, attested_usd_cents: 0 },
      },
    },
    {
      ...{ name: 'tenure', points_hundredths: tenure[0], max_hundredths: 1_000 },
      measure: { weeks: tenure[1] },
    },
  ];
  return {
    factors,
    anchor: { operator_verified: operatorVerified, lost_hundredths: 0 },
    inputs: { now: NOW, negative_flag_at: String(flaggedAt), ...(isAlt && { slot: '7' }) },
    evidence: { sources_hash: followsPayments ? 'a1' : null },
  } as Partial<Record<keyof Explanation, unknown>> as unknown as Explanation;
}

const describeOf = (code: string, facts: Facts) => describeStep(code, explain(facts));

describe('describeStep', () => {
  it('promises half of the missing regularity for declared events, and all of it for verified ones', () => {
    const declared = describeOf('cadence_low', { cadence: [446, 6, 13, 0, 0] });
    expect(declared).toBe(
      '6 of 13 weeks and 13 of 65 days count now; five days in each of 13 weeks, with the same evidence, would add 8 points.',
    );
    expect(describeOf('cadence_low', { cadence: [892, 6, 13, 6, 13] })).toMatch(/would add 16\.1 points\.$/);
    expect(describeOf('cadence_low', { cadence: [665, 6, 13, 3, 6] })).toMatch(/would add 11\.9 points\.$/);
  });

  it.each(['declared', 'paid'] as const)('promises the regularity that the model gives to %s events', (evidence) => {
    const rate = (weeks: number) =>
      rateScenario({ weeklyCents: 50_000, evidence, weeks, operatorVerified: true, now: NOW }).factors[1]!;
    const [now, then] = [rate(4), rate(14)];
    if (now.name !== 'cadence') throw new Error('the second factor is the cadence');
    const { weeks, days, verifiedWeeks, verifiedDays } = now.measure;
    const cadence = [now.pointsHundredths, weeks, days, verifiedWeeks, verifiedDays] as const;
    expect(describeOf('cadence_low', { cadence })).toContain(
      `would add ${formatPoints(then.pointsHundredths - now.pointsHundredths)} points.`,
    );
  });

  it('promises half of all regularity where no event counts yet', () => {
    expect(describeOf('cadence_low', {})).toMatch(/^0 of 13 weeks and 0 of 65 days .* would add 12\.5 points\.$/);
  });

  it('promises no regularity for weeks and days that are complete', () => {
    expect(describeOf('cadence_low', { cadence: [1_250, 14, 70, 0, 0] })).toBeUndefined();
  });

  it('names the next weekly revenue, with what it would add for the share that is verified', () => {
    expect(describeOf('revenue_low', { revenue: [0, 0, 0] })).toBe(
      'None counts now; $50.00 in each of 13 weeks, with the same evidence, would add 5 points.',
    );
    expect(describeOf('revenue_low', { revenue: [500, 65_000, 0] })).toBe(
      'About $50.00 a week count now; $100.00 in each of 13 weeks, with the same evidence, would add 2 points.',
    );
    expect(describeOf('revenue_low', { revenue: [1_000, 65_000, 65_000] })).toMatch(/would add 4 points\.$/);
    expect(describeOf('revenue_low', { revenue: [750, 65_000, 32_500] })).toMatch(/would add 3 points\.$/);
  });

  it('names no revenue beyond the last step of the model', () => {
    expect(describeOf('revenue_low', { revenue: [1_500, 13 * 250_000, 0] })).toBeUndefined();
  });

  it('promises the points of the missing weeks of service', () => {
    expect(describeOf('tenure_short', { tenure: [500, 13] })).toBe(
      '13 weeks of 52 count now; 39 more with events would add 5 points.',
    );
  });

  it('promises the points of an even trend', () => {
    expect(describeOf('trend_below', { trend: 600 })).toBe(
      'Revenue at least at 80% of the 30 days before, with single bursts cut, would add 9 points.',
    );
  });

  it('counts a sixth of the points above 50 without a verified operator, or with a flag in force', () => {
    const above = { cadence: [2_500, 13, 65, 13, 65], revenue: [2_700, 0, 0], trend: 600 } as const;
    const anchored =
      'Revenue at least at 80% of the 30 days before, with single bursts cut, would add 1.5 points, because points above 50 count a sixth.';
    expect(describeOf('trend_below', { ...above, operatorVerified: false })).toBe(anchored);
    expect(describeOf('trend_below', { ...above, flaggedAt: NOW - 86_400 })).toBe(anchored);
    expect(describeOf('trend_below', { ...above, flaggedAt: NOW - 181 * 86_400 })).toMatch(/would add 9 points\.$/);
  });

  it('adds in full up to 50 points, and a sixth beyond', () => {
    const below = { cadence: [2_500, 13, 65, 13, 65], revenue: [1_600, 0, 0], trend: 600 } as const;
    expect(describeOf('trend_below', { ...below, operatorVerified: false })).toMatch(/would add 4 points, because/);
  });

  it('advises an attested chip on the main chain, and followed payments on the alt chain', () => {
    expect(describeOf('trust_low', { trust: 400 })).toBe(
      'Events signed by an attested chip would add up to 16 points.',
    );
    expect(describeOf('trust_low', { trust: 400, isAlt: true })).toBe(
      'Events whose payment was followed on a chain would add up to 10 points.',
    );
  });

  it('advises nothing on the alt chain where all payments are followed, or none can be', () => {
    expect(describeOf('trust_low', { trust: 1_400, isAlt: true })).toBeUndefined();
    expect(describeOf('trust_low', { trust: 400, isAlt: true, followsPayments: false })).toBeUndefined();
  });

  it.each(['unanchored', 'revenue_unverified', 'not_bonded'])('advises nothing for %s', (code) => {
    expect(describeOf(code, {})).toBeUndefined();
  });
});
