/** How often has a key been counted, by all replicas together? (Decisions 3.) Implemented by `adapters/redis`; never throws. */
export interface SharedCounts {
  /** False: it does not answer, and each replica counts alone until it does. */
  readonly isUp: () => boolean;
  /**
   * Counts one request of the key, in a window that starts with the key's first. 0: admitted; else the milliseconds until the window ends.
   * Undefined: nobody knows in time.
   */
  count(key: string, limit: number, windowMilliseconds: number): Promise<number | undefined>;
  /** Questions without an answer since the start. */
  readonly failures: () => number;
  close(): Promise<void>;
}
