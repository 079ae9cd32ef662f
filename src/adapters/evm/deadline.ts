/** How long may a read take, and how long each request of it? Both ends are real time: a deadline frees resources, it decides nothing. */

export interface Deadline {
  /** Aborted when the read has no time left. */
  readonly signal: AbortSignal;
  /** When that is, on the process's monotonic clock. */
  readonly atMilliseconds: number;
  /** Bound of one request within it. */
  readonly requestMilliseconds: number;
}

/** Starts now; a timer is set only when something waits for it, because most reads are answered from what is kept. */
export function startDeadline(readMilliseconds: number, requestMilliseconds: number): Deadline {
  const atMilliseconds = performance.now() + readMilliseconds;
  let signal: AbortSignal | undefined;
  return {
    get signal() {
      signal ??= AbortSignal.timeout(Math.max(0, Math.ceil(atMilliseconds - performance.now())));
      return signal;
    },
    atMilliseconds,
    requestMilliseconds,
  };
}

/** The one that ends last: work that several reads share goes on while one of them still wants it. */
export function latestDeadline(deadlines: readonly Deadline[]): Deadline {
  return deadlines.reduce((latest, each) => (each.atMilliseconds > latest.atMilliseconds ? each : latest));
}
