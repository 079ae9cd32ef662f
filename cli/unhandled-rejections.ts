/** Rejections without a handler: a defect, but no response is made of their results, so the process continues to serve. */
import type { Log } from '../src/ports/runtime.ts';

/** Logs each rejection by its class and place: its message may hold secrets. Without this, Node ends the process at the first one. */
export function logUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof Error)) return log.error({ class: typeof error }, 'unhandled rejection');
    const frames = error.stack?.replace(error.message, '').split('\n');
    const frame = frames?.find((line) => line.startsWith('    at '))?.trim();
    log.error({ class: error.name, frame }, 'unhandled rejection');
  });
}
