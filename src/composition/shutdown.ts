/**
 * Shutdown of the service, or of a failed start: resources are closed in reverse order of opening, and none is left
 * open.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

export interface Shutdown {
  add(close: () => Promise<unknown>): void;
  /** Closes everything that was added. Throws the first failure after the last of them. */
  closeAll(): Promise<void>;
}

export function createShutdown(): Shutdown {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add(close) {
      closers.push(close);
    },
    async closeAll() {
      const failures: unknown[] = [];
      // A failure must not leave the others open.
      for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Shutdown budget: these phases and the last export of traces (0.4 s, `telemetry/tracing.ts`) add up to 4.7 s. */
export const DRAIN_NOTICE_MILLISECONDS = 1_500;
const IN_FLIGHT_MILLISECONDS = 2_000;
const LOOP_STOP_MILLISECONDS = 800;

/** Stops accepting connections. In-flight responses may finish; connections still open after 2 s are destroyed. */
export async function closeListener(app: FastifyInstance): Promise<void> {
  const timeout = setTimeout(() => app.server.closeAllConnections(), IN_FLIGHT_MILLISECONDS);
  await app.close();
  clearTimeout(timeout);
}

/**
 * Waits briefly for work to end. Unfinished work fails once the database and connections are closed, and loses nothing.
 */
export async function waitForLoops(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, delay(LOOP_STOP_MILLISECONDS, undefined, { ref: false })]);
}
