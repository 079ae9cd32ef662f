/**
 * Backoff for calls to the alt chain's nodes. When a node limits the rate, all calls wait together, as long as it
 * requests and at most 30 s (chain-svm 8). A node that lags behind, or loses the connection, delays only the call that it
 * concerns: behind one address, the next server may answer.
 */
import { Fault } from '../../domain/faults.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import type { Timers } from '../../ports/runtime.ts';

export interface SharedBackoff {
  /**
   * Runs the call. Throws `AltNodeBusy` or `ChainUnreadable` when the node has refused it, or lost the connection, too often,
   * or the signal is aborted.
   */
  run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const MAX_REFUSALS = 10;
const MAX_LOST_CONNECTIONS = 3;
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
          if (refusals >= maxRepetitions(error) || signal.aborted) throw error;
          const requested = error instanceof AltNodeBusy ? error.retryAfterSeconds : undefined;
          if (error instanceof AltNodeBusy && error.reason === 'rate') {
            await pauseAll(requested ?? DEFAULT_WAIT_SECONDS, signal);
          } else {
            await wait(requested ?? Math.min(DEFAULT_WAIT_SECONDS, FIRST_LAG_SECONDS * 2 ** refusals), signal);
          }
        }
      }
    },
  };
}

/** Returns how often a call is repeated after this error. */
function maxRepetitions(error: unknown): number {
  if (error instanceof AltNodeBusy) return MAX_REFUSALS;
  const isLost = error instanceof Fault && (error.context as { readonly cause?: string }).cause === 'transport';
  return isLost ? MAX_LOST_CONNECTIONS : 0;
}
