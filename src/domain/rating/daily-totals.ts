/** Totals of a day's bucket over its classes of evidence (design/scoring.md, Classes). Verified means paid or attested. */

import { MAX_DAILY_ACTIVITY, SAFE } from './constants.ts';
import type { EvidenceClass } from './event.ts';
import type { DayBucket } from './rating-state.ts';

/** A value over all classes and over the verified ones. */
export interface AllAndVerified<T> {
  readonly all: T;
  readonly verified: T;
}

/** Returns the activity events of a day that count, by class: at most 24, attested ones first. No payment supports an activity event. */
export function countedActivity({ classes }: DayBucket): Readonly<Record<EvidenceClass, number>> {
  const attested = classes.attested.activity;
  return { declared: Math.min(classes.declared.activity, MAX_DAILY_ACTIVITY - attested), paid: 0, attested };
}

/** Returns the number of activity events of a day that count. */
export function activityOf(bucket: DayBucket): AllAndVerified<number> {
  const { declared, attested } = countedActivity(bucket);
  return { all: declared + attested, verified: attested };
}

/** Returns the qualifying revenue of a day in cents. */
export function centsOf({ classes }: DayBucket): AllAndVerified<bigint> {
  const verified = classes.paid.cents + classes.attested.cents;
  return { all: classes.declared.cents + verified, verified };
}

/** Clamps a sum to the largest number that a rating may contain. */
export function clampToSafe(sum: bigint): number {
  return sum > SAFE ? SAFE : Number(sum);
}
