/** Validity of negative flags (design/scoring.md, Trust). */

import { NEGATIVE_FLAG } from './constants.ts';

/** Returns whether a flag is recorded: from 2020-01-01 to one day ahead of the clock. 0 means none. */
export function isFlagPlausible(flagAt: bigint, now: number): boolean {
  return flagAt >= NEGATIVE_FLAG.plausibleFrom && flagAt <= now + NEGATIVE_FLAG.plausibleAheadSeconds;
}

/** Returns whether a recorded flag is in force, which lasts 180 days and removes all points for trust. */
export function isFlagInForce(flagAt: bigint, now: number): boolean {
  return isFlagPlausible(flagAt, now) && now < Number(flagAt) + NEGATIVE_FLAG.forceSeconds;
}
