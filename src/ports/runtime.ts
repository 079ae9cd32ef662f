/** Ports of the running process: time, timers, log, leadership, and state shared by replicas. */

/** What time is it? The only source of time for rules and actions, so that a test can freeze it. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMilliseconds(): number;
}

/** Whole Unix seconds, rounded down. */
export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMilliseconds() / 1000);
}

/** How does a loop wait? The only source of pauses, so that a test can move time on. */
export interface Timers {
  /** Resolves after the pause, or at once when the signal is or becomes aborted; never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Where do operators read what happened? One structured line per fact; fields are numbers and fixed words, never secrets or an SDK's text. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Which of all processes follows the chains? The one that holds the lock. It saves work and decides nothing: what two write who both believe
 * that they hold it is still compared and set (architecture, rule 4). Implemented by `adapters/sql`.
 */
export interface LeaderLock {
  /** Takes the lock if it is free. True: it is held now. Throws `StoreUnavailable`, and then it is not held. */
  acquire(): Promise<boolean>;
  /** Gives it up, if it is held, and ends its connection; a later `hold` takes it again. */
  release(): Promise<void>;
}

/** What does this process know of itself that callers of `/ready` should know? Left out of `Ctx`: nothing. */
export interface ProcessState {
  /** It was told to end: it answers what it is asked, and nothing new should be sent here. */
  readonly isStopping: () => boolean;
  /** Whether requests are counted by all replicas together now; undefined: each counts alone, as configured. */
  readonly isRateLimitDistributed: () => boolean | undefined;
}

/** How often has a key been counted, by all replicas together? (Decisions 3.) Implemented by `adapters/redis`; never throws. */
export interface DistributedCounters {
  /** False: it does not answer, and each replica counts alone until it does. */
  readonly isUp: () => boolean;
  /**
   * Counts one request of the key, in a window that starts with the key's first. 0: admitted; else the milliseconds until the window ends.
   * Undefined: nobody knows in time.
   */
  increment(key: string, limit: number, windowMilliseconds: number): Promise<number | undefined>;
  /** Questions without an answer since the start. */
  readonly failures: () => number;
  close(): Promise<void>;
}
