/**
 * Backoff for calls to the alt chain's nodes. When a node limits the rate, all calls wait together, as long as it
 * requests and at most 30 s (chain-svm 8). A node that lags behind delays only the call that needs more of it: behind one
 * address, the next server may have it.
 */
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import type { Timers } from '../../ports/runtime.ts';

export interface SharedBackoff {
  /** Runs the call. Throws `AltNodeBusy` when the node has refused it too often or the signal is aborted. */
  run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const MAX_REFUSALS = 10;
export const MAX_BUSY_WAIT_SECONDS = 30;
const DEFAULT_WAIT_SECONDS = 1;
/** One slot; doubles up to the default. */
const FIRST_LAG_SECONDS = 0.4;

export function createSharedBackoff(timers: Timers): SharedBackoff {
  let pause: Promise<void> | undefined;

  const wait = (seconds: number, signal: AbortSignal) =>
    timers.wait(1000 * Math.min(seconds, MAX_BUSY_WAIT_SECONDS), signal);

  function pauseAll(seconds: number, signal: AbortSignal): Promise<void> {
    pause ??= wait(seconds, signal).finally(() => {
      pause = undefined;
    });
    return pause;
  }

  return {
    async run(call, signal) {
      for (let refusals = 0; ; refusals++) {
        while (pause !== undefined) await pause;
        try {
          return await call();
        } catch (error) {
          if (!(error instanceof AltNodeBusy) || refusals === MAX_REFUSALS || signal.aborted) throw error;
          if (error.reason === 'rate') await pauseAll(error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS, signal);
          else {
            const lagSeconds = Math.min(DEFAULT_WAIT_SECONDS, FIRST_LAG_SECONDS * 2 ** refusals);
            await wait(error.retryAfterSeconds ?? lagSeconds, signal);
          }
        }
      }
    },
  };
}
