/** Trusted clock that never doubts its clock, for tests that move the time themselves. */
import { judgeClock } from '../../src/domain/clock/clock-judgement.ts';
import type { Clock, TrustedClock } from '../../src/ports/runtime.ts';

export function createTrustingClock(clock: Clock): TrustedClock {
  return {
    judge() {
      const milliseconds = clock.nowMilliseconds();
      const reading = { wallMilliseconds: milliseconds, monotonicMilliseconds: 0 };
      return { state: judgeClock(reading, { anchor: reading, isConfirmed: true, headTimestamp: 0 }), milliseconds };
    },
  };
}
