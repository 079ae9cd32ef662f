/** How does a command stay until it is told to end, and leave nothing behind? */
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';

/** Gives up on whatever does not close. */
const CLOSING_MILLISECONDS = 10_000;

/** Takes what must be closed at the end; the newest is closed first. */
export type AtEnd = (close: () => Promise<void>) => void;

/**
 * Starts something and keeps it until an interrupt or a request to end comes, which may be before it has started. A failed
 * start closes what it has opened, and throws. Further signals change nothing: at a terminal, one Ctrl-C may arrive twice.
 */
export async function stayUntilStopped(start: (atEnd: AtEnd) => Promise<void>): Promise<ExitCode> {
  const closers: (() => Promise<void>)[] = [];
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  try {
    await Promise.race([start((close) => closers.unshift(close)), stopped]);
    await stopped;
  } finally {
    setTimeout(() => process.exit(EXIT_CODES.refused), CLOSING_MILLISECONDS).unref();
    for (const close of closers) await close();
  }
  // A start that was interrupted may still be under way.
  process.exit(EXIT_CODES.ok);
}
