/** Is something still young enough to count? */
import type { Clock } from '../../ports/runtime.ts';

/** True while less than `maxMilliseconds` have passed since. A clock that was set back tells no age, so nothing is young then. */
export function isFresh(clock: Clock, sinceMilliseconds: number, maxMilliseconds: number): boolean {
  const age = clock.nowMilliseconds() - sinceMilliseconds;
  return age >= 0 && age < maxMilliseconds;
}
