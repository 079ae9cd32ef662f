/** Age check against the clock. */
import type { Clock } from '../../ports/runtime.ts';

/**
 * Returns true while less than `maxMilliseconds` have passed. Returns false when the clock was set back, because the
 * age is unknown then.
 */
export function isFresh(clock: Clock, sinceMilliseconds: number, maxMilliseconds: number): boolean {
  const age = clock.nowMilliseconds() - sinceMilliseconds;
  return age >= 0 && age < maxMilliseconds;
}
