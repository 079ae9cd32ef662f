/**
 * Deadlines of reads and of the requests within them, in monotonic time. A deadline frees resources; it decides
 * nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainWork } from '../../ports/runtime.ts';
import type { CallPurpose } from './call-budget.ts';

/** Monotonic time for deadlines and delays; unlike a clock, it never jumps. */
export interface Stopwatch {
  /** Returns the time since a fixed but arbitrary moment. */
  nowMilliseconds(): number;
  /** Returns a signal that is aborted after this time. */
  startTimeout(milliseconds: number): AbortSignal;
  /** Resolves after this time; rejects when the signal is aborted first. */
  pause(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

export const REAL_STOPWATCH: Stopwatch = {
  nowMilliseconds: () => performance.now(),
  startTimeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  // The timer keeps the process alive: during a pause, nothing else may.
  pause: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
};

export interface Deadline {
  /** Aborted when the deadline expires. */
  readonly signal: AbortSignal;
  /** When it expires, on the stopwatch. */
  readonly atMilliseconds: number;
  /** Timeout of one request within the read. */
  readonly requestMilliseconds: number;
  /** What its calls are sent for. */
  readonly purpose: CallPurpose;
}

/** Work of reads that name none: all of them together are one caller. */
export const UNNAMED_CALLER: ChainWork = { kind: 'caller', networks: [''] };
const UNNAMED: CallPurpose = { work: UNNAMED_CALLER, isKnown: true };
/** Work of the checks of a deployment, and of reads for which no client waits. */
export const HEAD_WORK: ChainWork = { kind: 'head' };
export const INDEX_WORK: ChainWork = { kind: 'index' };

/**
 * Starts a deadline. Its timer is created only when something waits for it, because most reads are served from a cache.
 */
export function startDeadline(
  readMilliseconds: number,
  requestMilliseconds: number,
  stopwatch: Stopwatch = REAL_STOPWATCH,
  purpose = UNNAMED,
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
    purpose,
  };
}

/** Returns the same deadline for another purpose. */
export function withPurpose(deadline: Deadline, purpose: CallPurpose): Deadline {
  const { atMilliseconds, requestMilliseconds } = deadline;
  return {
    get signal() {
      return deadline.signal;
    },
    atMilliseconds,
    requestMilliseconds,
    purpose,
  };
}

/** Returns the deadline that expires last: shared work continues while one of its reads still needs it. */
export function latestDeadline(deadlines: readonly Deadline[]): Deadline {
  return deadlines.reduce((latest, each) => (each.atMilliseconds > latest.atMilliseconds ? each : latest));
}
