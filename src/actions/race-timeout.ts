/** Bounds a wait in time, on the timers of the service. */
import type { Timers } from '../ports/runtime.ts';

/** Returns the result of `pending`, or `fallback` when the timeout expires first. Rejects as `pending` does. */
export async function raceTimeout<T, F>(
  timers: Timers,
  milliseconds: number,
  pending: Promise<T>,
  fallback: F,
): Promise<T | F> {
  const settled = new AbortController();
  try {
    return await Promise.race([pending, timers.wait(milliseconds, settled.signal).then(() => fallback)]);
  } finally {
    settled.abort();
  }
}
