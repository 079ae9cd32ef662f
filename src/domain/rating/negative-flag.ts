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

/** State of the flag record: none, in force, or ended by time. */
export type FlagState = 'none' | 'in_force' | 'ended';

/** Returns the state at the second `now`. */
export function judgeFlag(flagAt: bigint, now: number): FlagState {
  if (!isFlagPlausible(flagAt, now)) return 'none';
  return isFlagInForce(flagAt, now) ? 'in_force' : 'ended';
}

/** Returns the next second at which the state changes by time alone; undefined when it does not. A flag ahead of the clock begins later. */
export function nextFlagChange(flagAt: bigint, now: number): bigint | undefined {
  if (flagAt < NEGATIVE_FLAG.plausibleFrom) return undefined;
  const changes = [flagAt - BigInt(NEGATIVE_FLAG.plausibleAheadSeconds), flagAt + BigInt(NEGATIVE_FLAG.forceSeconds)];
  return changes.find((change) => change > now);
}
