import { describe, expect, it } from 'vitest';

import { SAFE } from './constants.ts';
import { activityOf, centsOf, countedActivity, toShown } from './daily-totals.ts';
import type { DayBucket } from './rating-state.ts';

function bucketOf(activity: readonly [number, number, number], cents: readonly [bigint, bigint, bigint]): DayBucket {
  const [selfReported, onChain, signed] = activity.map((count, level) => ({
    activity: count,
    cents: cents[level]!,
    weight: 0,
  }));
  return { day: 1, levels: [selfReported!, onChain!, signed!] };
}

describe('the activity of a day', () => {
  it.each([
    [[1, 2, 3], [1, 2, 3], { all: 6, verified: 5 }],
    [[24, 24, 20], [0, 4, 20], { all: 24, verified: 24 }],
    [[24, 10, 20], [0, 4, 20], { all: 24, verified: 24 }],
    [[24, 3, 20], [1, 3, 20], { all: 24, verified: 23 }],
    [[24, 24, 24], [0, 0, 24], { all: 24, verified: 24 }],
    [[24, 0, 0], [24, 0, 0], { all: 24, verified: 0 }],
  ] as const)('of %j is that of the highest levels, 24 at most', (activity, counted, split) => {
    const bucket = bucketOf(activity, [0n, 0n, 0n]);
    expect(countedActivity(bucket)).toEqual(counted);
    expect(activityOf(bucket)).toEqual(split);
  });
});

it('the revenue of a day is that of all levels, and of the two that are verified', () => {
  expect(centsOf(bucketOf([0, 0, 0], [1n, 20n, 300n]))).toEqual({ all: 321n, verified: 320n });
});

it.each([
  [0n, 0],
  [BigInt(SAFE) - 1n, SAFE - 1],
  [BigInt(SAFE), SAFE],
  [BigInt(SAFE) + 1n, SAFE],
])('a sum of %d is shown as %d', (sum, shown) => {
  expect(toShown(sum)).toBe(shown);
});
