/**
 * Shared backoff for calls to the alt chain's nodes. When a node asks to wait, all calls wait together, as long as it
 * requests and at most 30 s (chain-svm 8), and then continue.
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

export function createSharedBackoff(timers: Timers): SharedBackoff {
  let pause: Promise<void> | undefined;

  function wait(seconds: number, signal: AbortSignal): Promise<void> {
    pause ??= timers.wait(1000 * Math.min(seconds, MAX_BUSY_WAIT_SECONDS), signal).finally(() => {
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
          await wait(error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS, signal);
        }
      }
    },
  };
}
