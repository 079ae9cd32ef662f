/** Totals of a day's bucket over its trust levels (design/scoring.md, Fold). Verified means trust level 1 or 2. */

import { MAX_DAILY_ACTIVITY, SAFE } from './constants.ts';
import type { DayBucket } from './rating-state.ts';

/** A value over all trust levels and over the verified ones. */
export interface AllAndVerified<T> {
  readonly all: T;
  readonly verified: T;
}

/** Returns the activity events of a day that count, by level: at most 24, the highest levels first. */
export function countedActivity({ levels }: DayBucket): readonly [number, number, number] {
  const signed = levels[2].activity;
  const onChain = Math.min(levels[1].activity, MAX_DAILY_ACTIVITY - signed);
  const selfReported = Math.min(levels[0].activity, MAX_DAILY_ACTIVITY - signed - onChain);
  return [selfReported, onChain, signed];
}

/** Returns the number of activity events of a day that count. */
export function activityOf(bucket: DayBucket): AllAndVerified<number> {
  const [selfReported, onChain, signed] = countedActivity(bucket);
  return { all: selfReported + onChain + signed, verified: onChain + signed };
}

/** Returns the qualifying revenue of a day in cents. */
export function centsOf({ levels }: DayBucket): AllAndVerified<bigint> {
  const verified = levels[1].cents + levels[2].cents;
  return { all: levels[0].cents + verified, verified };
}

/** Clamps a sum to the largest number that a rating may contain. */
export function clampToSafe(sum: bigint): number {
  return sum > SAFE ? SAFE : Number(sum);
}
