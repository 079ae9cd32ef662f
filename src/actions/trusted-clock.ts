/** May the clock decide about challenges and certificates? (evidence 13, "clock".) Judged against the latest time that was read here. */
import { judgeClock, type TrustedSeconds } from '../domain/evidence/trusted-clock.ts';
import type { Ctx } from '../ports/ctx.ts';

export interface ClockReading {
  readonly nowMilliseconds: number;
  /** At least `nowMilliseconds`, where that is a number. */
  readonly latestMilliseconds: number;
}

const latestReadings = new WeakMap<Ctx, number>();

export function readClock(ctx: Ctx): ClockReading {
  const nowMilliseconds = ctx.clock.nowMilliseconds();
  const before = latestReadings.get(ctx) ?? Number.NEGATIVE_INFINITY;
  const latestMilliseconds = Number.isFinite(nowMilliseconds) ? Math.max(before, nowMilliseconds) : before;
  latestReadings.set(ctx, latestMilliseconds);
  return { nowMilliseconds, latestMilliseconds };
}

/** Undefined: the clock is not usable. */
export function readTrustedSeconds(ctx: Ctx): TrustedSeconds | undefined {
  const { nowMilliseconds, latestMilliseconds } = readClock(ctx);
  return judgeClock(nowMilliseconds, latestMilliseconds);
}
