/** Plausibility check of the clock before it decides about challenges and certificates (evidence 13, "clock"). */

/** 2024-01-01: an earlier clock is wrong. */
const EARLIEST_MILLISECONDS = 1_704_067_200_000;
/** Largest accepted step back of the clock while the process runs. */
const MAX_STEP_BACK_MILLISECONDS = 30_000;
const MILLISECONDS_PER_SECOND = 1_000;

declare const brand: unique symbol;

/** Whole Unix seconds of a plausible clock. */
export type TrustedSeconds = number & { readonly [brand]: 'TrustedSeconds' };

/**
 * Returns the Unix second, rounded down; undefined when the clock is not usable. `latestMilliseconds` is the latest time that this
 * process has seen; at first any earlier number.
 */
export function judgeClock(nowMilliseconds: number, latestMilliseconds: number): TrustedSeconds | undefined {
  const isUsable =
    Number.isFinite(nowMilliseconds) &&
    nowMilliseconds >= EARLIEST_MILLISECONDS &&
    nowMilliseconds >= latestMilliseconds - MAX_STEP_BACK_MILLISECONDS;
  return isUsable ? (Math.floor(nowMilliseconds / MILLISECONDS_PER_SECOND) as TrustedSeconds) : undefined;
}
