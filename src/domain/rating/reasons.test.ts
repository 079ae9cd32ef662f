import { describe, expect, it } from 'vitest';

import type { DeductionCode } from './reasons.ts';
import { largestDeductionPhrase, listReasons } from './reasons.ts';

/** The order of the specification. */
const CODES: readonly DeductionCode[] = [
  'dormant',
  'flagged',
  'revenue_low',
  'revenue_unverified',
  'cadence_low',
  'cadence_unverified',
  'trend_below',
  'trend_without_revenue',
  'trend_unknown',
  'trust_override',
  'trust_none',
  'trust_low',
  'tenure_short',
];

describe('listReasons', () => {
  it('sorts equal deductions in the order of the specification', () => {
    const deductions = CODES.map((code) => ({ code, lostHundredths: 100 }));
    for (const given of [deductions, deductions.toReversed(), [...deductions.slice(5), ...deductions.slice(0, 5)]]) {
      expect(listReasons([], given).map(({ code }) => code)).toStrictEqual(CODES);
    }
  });

  it('leaves out deductions of 0', () => {
    expect(listReasons([], [{ code: 'dormant', lostHundredths: 0 }])).toStrictEqual([]);
  });
});

describe('largestDeductionPhrase', () => {
  it('returns the phrase of the first deduction', () => {
    const reasons = listReasons(
      ['not_bonded'],
      [
        { code: 'trust_low', lostHundredths: 1 },
        { code: 'dormant', lostHundredths: 2 },
      ],
    );
    expect(largestDeductionPhrase(reasons)).toBe('dormancy');
  });

  it('returns undefined without deductions', () => {
    expect(largestDeductionPhrase(listReasons(['not_graduated'], []))).toBeUndefined();
  });
});
