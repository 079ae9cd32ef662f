/**
 * What counts of a day? The sums of a day's bucket over its trust levels (design/scoring.md, Fold). Verified means trust
 * level 1 or 2.
 */

import { MAX_DAILY_ACTIVITY, SAFE } from './constants.ts';
import type { DayBucket } from './rating-state.ts';

/** A sum over all levels and over the verified ones. */
export interface AllAndVerified<T> {
  readonly all: T;
  readonly verified: T;
}

/** The counted activity events of a day by level: at most 24, the highest levels first. */
export function countedActivity({ levels }: DayBucket): readonly [number, number, number] {
  const signed = levels[2].activity;
  const onChain = Math.min(levels[1].activity, MAX_DAILY_ACTIVITY - signed);
  const selfReported = Math.min(levels[0].activity, MAX_DAILY_ACTIVITY - signed - onChain);
  return [selfReported, onChain, signed];
}

/** The counted activity events of a day. */
export function activityOf(bucket: DayBucket): AllAndVerified<number> {
  const [selfReported, onChain, signed] = countedActivity(bucket);
  return { all: selfReported + onChain + signed, verified: onChain + signed };
}

/** The qualifying revenue of a day in cents. */
export function centsOf({ levels }: DayBucket): AllAndVerified<bigint> {
  const verified = levels[1].cents + levels[2].cents;
  return { all: levels[0].cents + verified, verified };
}

/** The number that an answer shows for a sum: at most `SAFE`. */
export function toShown(sum: bigint): number {
  return sum > SAFE ? SAFE : Number(sum);
}
