/** Clock check for challenges and certificates (evidence 13, "clock"): compares the clock with the latest time that was read here. */
import { judgeClock, type TrustedSeconds } from '../domain/evidence/trusted-clock.ts';
import type { Ctx } from '../ports/ctx.ts';

export interface ClockReading {
  readonly nowMilliseconds: number;
  /** At least `nowMilliseconds`, where that is a number. */
  readonly latestMilliseconds: number;
}

const createLatest = () => ({ milliseconds: Number.NEGATIVE_INFINITY });

/** Reads the clock and raises the latest time that was read. */
export function readClock(ctx: Ctx): ClockReading {
  const nowMilliseconds = ctx.clock.nowMilliseconds();
  const latest = ctx.actionState.of(createLatest);
  if (Number.isFinite(nowMilliseconds)) latest.milliseconds = Math.max(latest.milliseconds, nowMilliseconds);
  return { nowMilliseconds, latestMilliseconds: latest.milliseconds };
}

/** Returns the current Unix second; undefined when the clock is not usable. */
export function readTrustedSeconds(ctx: Ctx): TrustedSeconds | undefined {
  const { nowMilliseconds, latestMilliseconds } = readClock(ctx);
  return judgeClock(nowMilliseconds, latestMilliseconds);
}
