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
  it('keeps the order of the specification where losses are equal, in whatever order they come', () => {
    const losses = CODES.map((code) => ({ code, lostHundredths: 100 }));
    for (const given of [losses, losses.toReversed(), [...losses.slice(5), ...losses.slice(0, 5)]]) {
      expect(listReasons([], given).map(({ code }) => code)).toStrictEqual(CODES);
    }
  });

  it('leaves out what costs nothing', () => {
    expect(listReasons([], [{ code: 'dormant', lostHundredths: 0 }])).toStrictEqual([]);
  });
});

describe('largestLossPhrase', () => {
  it('is that of the first reason that costs points', () => {
    const reasons = listReasons(
      ['not_bonded'],
      [
        { code: 'trust_low', lostHundredths: 1 },
        { code: 'dormant', lostHundredths: 2 },
      ],
    );
    expect(largestDeductionPhrase(reasons)).toBe('dormancy');
  });

  it('is none when nothing is lost', () => {
    expect(largestDeductionPhrase(listReasons(['not_graduated'], []))).toBeUndefined();
  });
});
