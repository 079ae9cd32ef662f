/** Lifecycle of a long-running command: start, wait for a stop signal, release every resource, exit. */
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';

/**
 * The process exits at this limit even if something does not close. A stop takes less than 5 s; a busy machine gets more, and a supervisor kills
 * the process after 10 s.
 */
const CLOSING_MILLISECONDS = 9_000;

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Registers a cleanup function. Cleanup runs newest first; `signal` is undefined when the start failed. */
export type OnShutdown = (close: Cleanup) => void;
type Cleanup = (signal: StopSignal | undefined) => Promise<void>;

export interface RunOptions {
  /** Handles SIGHUP instead of stopping when standard error is not a terminal. */
  readonly onHangup?: () => Promise<void>;
}

/**
 * Runs `start` and waits for SIGINT, SIGTERM or SIGHUP, which may arrive before the start is complete. Rethrows the error of a
 * failed start after cleanup. Ignores further signals: one Ctrl-C at a terminal may arrive twice.
 */
export async function runUntilStopped(
  start: (onShutdown: OnShutdown) => Promise<void>,
  { onHangup }: RunOptions = {},
): Promise<ExitCode> {
  const cleanups: Cleanup[] = [];
  let received: StopSignal | undefined;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (signal === 'SIGHUP' && onHangup !== undefined && !process.stderr.isTTY) return void onHangup();
        received ??= signal;
        resolve();
      });
    }
  });
  try {
    await Promise.race([start((close) => cleanups.unshift(close)), stopped]);
    await stopped;
  } finally {
    setTimeout(() => process.exit(EXIT_CODES.refused), CLOSING_MILLISECONDS).unref();
    for (const close of cleanups) await close(received);
  }
  // An interrupted start may still be running.
  process.exit(EXIT_CODES.ok);
}
