import { describe, expect, it } from 'vitest';

import { SAFE } from './constants.ts';
import { activityOf, centsOf, countedActivity, clampToSafe } from './daily-totals.ts';
import type { DayBucket } from './rating-state.ts';

function bucketOf(activity: readonly [number, number, number], cents: readonly [bigint, bigint, bigint]): DayBucket {
  const [selfReported, onChain, signed] = activity.map((count, level) => ({
    activity: count,
    cents: cents[level]!,
    weight: 0,
  }));
  return { day: 1, levels: [selfReported!, onChain!, signed!] };
}

describe('countedActivity and activityOf', () => {
  it.each([
    [[1, 2, 3], [1, 2, 3], { all: 6, verified: 5 }],
    [[24, 24, 20], [0, 4, 20], { all: 24, verified: 24 }],
    [[24, 10, 20], [0, 4, 20], { all: 24, verified: 24 }],
    [[24, 3, 20], [1, 3, 20], { all: 24, verified: 23 }],
    [[24, 24, 24], [0, 0, 24], { all: 24, verified: 24 }],
    [[24, 0, 0], [24, 0, 0], { all: 24, verified: 0 }],
  ] as const)('count at most 24 events of %j, highest levels first', (activity, counted, totals) => {
    const bucket = bucketOf(activity, [0n, 0n, 0n]);
    expect(countedActivity(bucket)).toEqual(counted);
    expect(activityOf(bucket)).toEqual(totals);
  });
});

it('centsOf sums all levels and the two verified ones', () => {
  expect(centsOf(bucketOf([0, 0, 0], [1n, 20n, 300n]))).toEqual({ all: 321n, verified: 320n });
});

it.each([
  [0n, 0],
  [BigInt(SAFE) - 1n, SAFE - 1],
  [BigInt(SAFE), SAFE],
  [BigInt(SAFE) + 1n, SAFE],
])('clampToSafe converts %d to %d', (sum, clamped) => {
  expect(clampToSafe(sum)).toBe(clamped);
});
