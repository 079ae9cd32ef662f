/** How does a service end, or a start that failed half way? What was opened last is closed first, and nothing is left open. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

export interface Shutdown {
  add(close: () => Promise<unknown>): void;
  /** Closes all that was added. Throws the first failure, after the last of them. */
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
      // One that fails leaves none of the others open.
      for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The three of a stop: within 5 s all is closed. */
export const NOTICE_MILLISECONDS = 1_500;
const ANSWERING_MILLISECONDS = 2_000;
const LOOP_END_MILLISECONDS = 800;

/** Answers that are due are sent; who takes longer is cut off. */
export async function closeListener(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), ANSWERING_MILLISECONDS);
  await app.close();
  clearTimeout(cutOff);
}

/** What does not end soon fails with the database and the connections that are closed next, and loses nothing by it. */
export async function endBriefly(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, delay(LOOP_END_MILLISECONDS, undefined, { ref: false })]);
}
