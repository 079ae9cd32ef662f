/** What if the node asks to wait? Then all questions wait together, as long as it says and at most 30 s (chain-svm 8), and go on. */
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import type { Timers } from '../../ports/runtime.ts';

export interface SharedBackoff {
  /** Throws `AltNodeBusy` once the node has refused the question too often, or when the signal is aborted. */
  ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const MAX_REFUSALS = 10;
export const MAX_BUSY_WAIT_SECONDS = 30;
const USUAL_WAIT_SECONDS = 1;

export function createSharedBackoff(timers: Timers): SharedBackoff {
  let pause: Promise<void> | undefined;

  function wait(seconds: number, signal: AbortSignal): Promise<void> {
    pause ??= timers.wait(1000 * Math.min(seconds, MAX_BUSY_WAIT_SECONDS), signal).finally(() => {
      pause = undefined;
    });
    return pause;
  }

  return {
    async ask(question, signal) {
      for (let refusals = 0; ; refusals++) {
        while (pause !== undefined) await pause;
        try {
          return await question();
        } catch (error) {
          if (!(error instanceof AltNodeBusy) || refusals === MAX_REFUSALS || signal.aborted) throw error;
          await wait(error.retryAfterSeconds ?? USUAL_WAIT_SECONDS, signal);
        }
      }
    },
  };
}
