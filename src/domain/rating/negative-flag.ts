/**
 * Does a recorded negative flag count, and for how long? (design/scoring.md, Trust)
 */

import { NEGATIVE_FLAG } from './constants.ts';

/** Tells whether a flag is recorded: from 2020-01-01 to a day ahead of the clock. 0 is none. */
export function isFlagPlausible(flagAt: bigint, now: number): boolean {
  return flagAt >= NEGATIVE_FLAG.plausibleFrom && flagAt <= now + NEGATIVE_FLAG.plausibleAheadSeconds;
}

/** Tells whether a recorded flag still takes the points for trust: for 180 days. */
export function isFlagInForce(flagAt: bigint, now: number): boolean {
  return isFlagPlausible(flagAt, now) && now < Number(flagAt) + NEGATIVE_FLAG.forceSeconds;
}
