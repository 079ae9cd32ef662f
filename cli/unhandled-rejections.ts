/** Rejections without a handler: a defect, but no response depends on their results, so the process continues to serve. */
import type { Log } from '../src/ports/runtime.ts';

/** Logs each rejection by its class and place: its message may hold secrets. Without this, Node ends the process at the first one. */
export function logUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof Error)) return log.error({ class: typeof error }, 'unhandled rejection');
    const frame = error.stack?.split('\n').find((line) => line.startsWith('    at '));
    log.error({ class: error.constructor.name, frame: frame?.trim() }, 'unhandled rejection');
  });
}
