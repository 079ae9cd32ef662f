/**
 * Trusted clock (design/provable 3): compares the wall clock with the monotonic clock and with the heads that the head follower reports.
 * A head that advances and agrees with the wall clock moves the anchor, so that the clock recovers without a restart.
 */
import {
  isConfirmedBy,
  judgeClock,
  type ClockEvidence,
  type ClockReading,
} from '../../domain/clock/clock-judgement.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { HeadListener } from '../../ports/main-chain.ts';
import type { Clock, TrustedClock } from '../../ports/runtime.ts';

export interface HeadClock extends TrustedClock, HeadListener {
  /** Returns the Unix seconds of the newest head; 0: none is known. */
  headSeconds(): number;
}

export function createTrustedClock(clock: Clock, monotonicClock: Clock): HeadClock {
  let evidence: ClockEvidence = { anchor: read(), isConfirmed: false, headTimestamp: 0 };
  let newest: BlockRef | undefined;

  function read(): ClockReading {
    return {
      wallMilliseconds: clock.nowMilliseconds(),
      monotonicMilliseconds: monotonicClock.nowMilliseconds(),
    };
  }

  return {
    advanceHead({ head }) {
      const now = read();
      const isAdvancing = newest !== undefined && head.number > newest.number;
      const headTimestamp = head.timestamp;
      newest = head;
      evidence =
        isAdvancing && isConfirmedBy(now.wallMilliseconds, headTimestamp)
          ? { anchor: now, isConfirmed: true, headTimestamp }
          : { ...evidence, headTimestamp };
    },
    headSeconds: () => evidence.headTimestamp,
    judge(block) {
      const now = read();
      const headTimestamp = Math.max(evidence.headTimestamp, block?.timestamp ?? 0);
      return { state: judgeClock(now, { ...evidence, headTimestamp }), milliseconds: now.wallMilliseconds };
    },
  };
}
