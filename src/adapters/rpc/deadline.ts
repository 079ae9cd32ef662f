/** How long may a read take, and how long each request of it? Both ends are monotonic time: a deadline frees resources, it decides nothing. */
import { setTimeout as delay } from 'node:timers/promises';

/** The time that deadlines and pauses are made of; no clock, because it never jumps. */
export interface Stopwatch {
  /** Since any moment that stays the same. */
  nowMilliseconds(): number;
  /** A signal that is aborted after so long. */
  startTimeout(milliseconds: number): AbortSignal;
  /** Rejects when the signal is aborted first. */
  pause(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

export const REAL_STOPWATCH: Stopwatch = {
  nowMilliseconds: () => performance.now(),
  startTimeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  pause: (milliseconds, signal) => delay(milliseconds, undefined, { signal, ref: false }),
};

export interface Deadline {
  /** Aborted when the read has no time left. */
  readonly signal: AbortSignal;
  /** When that is, on the stopwatch. */
  readonly atMilliseconds: number;
  /** Bound of one request within it. */
  readonly requestMilliseconds: number;
}

/** Starts now; a timer is set only when something waits for it, because most reads are answered from what is kept. */
export function startDeadline(
  readMilliseconds: number,
  requestMilliseconds: number,
  stopwatch: Stopwatch = REAL_STOPWATCH,
): Deadline {
  const atMilliseconds = stopwatch.nowMilliseconds() + readMilliseconds;
  let signal: AbortSignal | undefined;
  return {
    get signal() {
      signal ??= stopwatch.startTimeout(Math.max(0, Math.ceil(atMilliseconds - stopwatch.nowMilliseconds())));
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
