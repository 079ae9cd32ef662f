/** How does a command stay until it is told to end, and leave nothing behind? */
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';

/** Gives up on whatever does not close: a supervisor was promised an end within 5 s. */
const CLOSING_MILLISECONDS = 4_800;

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Takes what must be closed at the end; the newest is closed first. Undefined: the start failed. */
export type AtEnd = (close: (signal: StopSignal | undefined) => Promise<void>) => void;

export interface StayOptions {
  /** What a hangup asks for, instead of the end, where no terminal can hang up. */
  readonly onHangup?: () => Promise<void>;
}

/**
 * Starts something and keeps it until an interrupt or a request to end comes, which may be before it has started. A failed
 * start closes what it has opened, and throws. Further signals change nothing: at a terminal, one Ctrl-C may arrive twice.
 */
export async function stayUntilStopped(
  start: (atEnd: AtEnd) => Promise<void>,
  { onHangup }: StayOptions = {},
): Promise<ExitCode> {
  const closers: ((signal: StopSignal | undefined) => Promise<void>)[] = [];
  let told: StopSignal | undefined;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (signal === 'SIGHUP' && onHangup !== undefined && !process.stderr.isTTY) return void onHangup();
        told ??= signal;
        resolve();
      });
    }
  });
  try {
    await Promise.race([start((close) => closers.unshift(close)), stopped]);
    await stopped;
  } finally {
    setTimeout(() => process.exit(EXIT_CODES.refused), CLOSING_MILLISECONDS).unref();
    for (const close of closers) await close(told);
  }
  // A start that was interrupted may still be under way.
  process.exit(EXIT_CODES.ok);
}
