/** May the clock decide whether a challenge or a certificate is still good? (evidence 13, "clock".) */

/** 2024-01-01: no machine that runs this service is older. */
const EARLIEST_MILLISECONDS = 1_704_067_200_000;
/** How far a clock may be set back while the process runs. */
const MAX_STEP_BACK_MILLISECONDS = 30_000;
const MILLISECONDS_PER_SECOND = 1_000;

declare const brand: unique symbol;

/** Whole seconds of a clock that was judged. */
export type TrustedSeconds = number & { readonly [brand]: 'TrustedSeconds' };

/**
 * The Unix second, rounded down. Undefined when the clock is not usable. `latestMilliseconds` is the latest time that this process
 * has seen; any number before the first.
 */
export function judgeClock(nowMilliseconds: number, latestMilliseconds: number): TrustedSeconds | undefined {
  const isUsable =
    Number.isFinite(nowMilliseconds) &&
    nowMilliseconds >= EARLIEST_MILLISECONDS &&
    nowMilliseconds >= latestMilliseconds - MAX_STEP_BACK_MILLISECONDS;
  return isUsable ? (Math.floor(nowMilliseconds / MILLISECONDS_PER_SECOND) as TrustedSeconds) : undefined;
}
