import { describe, expect, it } from 'vitest';

import { SAFE } from './constants.ts';
import { activityOf, centsOf, countedActivity, clampToSafe } from './daily-totals.ts';
import type { DayBucket } from './rating-state.ts';

const NOTHING = { cents: 0n, weight: 0, activity: 0 };

describe('countedActivity and activityOf', () => {
  it.each([
    [1, 3, { declared: 1, paid: 0, attested: 3 }, { all: 4, verified: 3 }],
    [24, 20, { declared: 4, paid: 0, attested: 20 }, { all: 24, verified: 20 }],
    [24, 24, { declared: 0, paid: 0, attested: 24 }, { all: 24, verified: 24 }],
    [24, 0, { declared: 24, paid: 0, attested: 0 }, { all: 24, verified: 0 }],
  ])(
    'count at most 24 of %i declared and %i attested events, attested first',
    (declared, attested, counted, totals) => {
      const bucket: DayBucket = {
        day: 1,
        classes: {
          declared: { ...NOTHING, activity: declared },
          paid: NOTHING,
          attested: { ...NOTHING, activity: attested },
        },
      };
      expect(countedActivity(bucket)).toEqual(counted);
      expect(activityOf(bucket)).toEqual(totals);
    },
  );
});

it('centsOf sums all classes and the two verified ones', () => {
  const classes = {
    declared: { ...NOTHING, cents: 1n },
    paid: { ...NOTHING, cents: 20n },
    attested: { ...NOTHING, cents: 300n },
  };
  expect(centsOf({ day: 1, classes })).toEqual({ all: 321n, verified: 320n });
});

it.each([
  [0n, 0],
  [BigInt(SAFE) - 1n, SAFE - 1],
  [BigInt(SAFE), SAFE],
  [BigInt(SAFE) + 1n, SAFE],
])('clampToSafe converts %d to %d', (sum, clamped) => {
  expect(clampToSafe(sum)).toBe(clamped);
});
