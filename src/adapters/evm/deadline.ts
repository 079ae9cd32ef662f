/** How long may a read take, and how long each request of it? Both ends are real time: a deadline frees resources, it decides nothing. */

export interface Deadline {
  /** Aborted when the read has no time left. */
  readonly signal: AbortSignal;
  /** When that is, on the process's monotonic clock. */
  readonly atMilliseconds: number;
  /** Bound of one request within it. */
  readonly requestMilliseconds: number;
}

export function startDeadline(readMilliseconds: number, requestMilliseconds: number): Deadline {
  return {
    signal: AbortSignal.timeout(readMilliseconds),
    atMilliseconds: performance.now() + readMilliseconds,
    requestMilliseconds,
  };
}

/** The one that ends last: work that several reads share goes on while one of them still wants it. */
export function latestDeadline(deadlines: readonly Deadline[]): Deadline {
  return deadlines.reduce((latest, each) => (each.atMilliseconds > latest.atMilliseconds ? each : latest));
}
