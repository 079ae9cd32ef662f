/** The time that ratings, decisions, Verify and chips use: that of a clock that is judged usable (design/provable 3). */
import { isUsable, type TrustedSeconds } from '../domain/clock/clock-judgement.ts';
import { Fault } from '../domain/faults.ts';
import type { BlockRef } from '../domain/machine/machine-facts.ts';
import type { Ctx } from '../ports/ctx.ts';

/** Returns the current Unix second; undefined while the clock is behind or doubtful. `block` is what the response is computed from. */
export function readTrustedSeconds({ trustedClock }: Ctx, block?: BlockRef): TrustedSeconds | undefined {
  const { state, milliseconds } = trustedClock.judge(block);
  return isUsable(state) ? (Math.floor(milliseconds / 1000) as TrustedSeconds) : undefined;
}

/** Returns the current Unix second. Throws `ClockInvalid` while the clock is behind or doubtful. */
export function requireTrustedSeconds(ctx: Ctx, block?: BlockRef): TrustedSeconds {
  const now = readTrustedSeconds(ctx, block);
  if (now === undefined) throw new Fault('ClockInvalid', {});
  return now;
}
