/** What time is it? The only source of time for rules and actions, so that a test can freeze it. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMilliseconds(): number;
}

/** Whole Unix seconds, rounded down. */
export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMilliseconds() / 1000);
}
