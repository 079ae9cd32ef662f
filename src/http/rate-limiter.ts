/** Placeholder of the interface; the windows follow. */
export interface RateLimiter {
  /** Counts one request; 0 = admitted, else the seconds after which the caller may come again. */
  count(address: string, path: string, nowMilliseconds: number): number;
}
