/** Read whose last result is used again for 10 seconds; concurrent callers share one read. */
import type { Clock } from '../../ports/runtime.ts';
import { isFresh } from '../rpc/is-fresh.ts';

export interface AgingRead<T> {
  /** Returns a result of at most the maximum age. */
  get(): Promise<T>;
  /** Returns a result of a read that begins after the call. */
  renew(): Promise<T>;
}

const MAX_AGE_MILLISECONDS = 10_000;

export function createAgingRead<T>(clock: Clock, read: () => Promise<T>): AgingRead<T> {
  let last: { readonly result: Promise<T>; readonly sinceMilliseconds: number } | undefined;

  function renew(): Promise<T> {
    const started = { result: read(), sinceMilliseconds: clock.nowMilliseconds() };
    last = started;
    started.result.catch(() => {
      if (last === started) last = undefined;
    });
    return started.result;
  }

  return {
    get: () =>
      last !== undefined && isFresh(clock, last.sinceMilliseconds, MAX_AGE_MILLISECONDS) ? last.result : renew(),
    renew,
  };
}
