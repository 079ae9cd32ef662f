/**
 * Keyed mutex: several documents for one challenge are judged one after another, in the order in which they arrived, so that all
 * but the first find the challenge consumed before certificate, signatures and chain are read (evidence 8, "refusals are cheap").
 * This saves work only: the transaction alone decides which document is accepted, so a document that has waited for the timeout
 * continues in parallel.
 */
import type { Hex } from '../domain/evidence/signed-bytes.ts';
import type { Ctx } from '../ports/ctx.ts';
import { raceTimeout } from './race-timeout.ts';

/** A small part of the route's 8 s: a document that waits behind one that waits for the chain still gets its own response in time. */
export const QUEUE_TIMEOUT_MILLISECONDS = 500;

/** The end of the newest queued run, by the hash of the nonce. */
const createRuns = () => new Map<Hex, Promise<undefined>>();

/** Runs `judge` when the run before it has ended, and returns or throws what it does. */
export async function runExclusive<T>(ctx: Ctx, nonceHash: Hex, judge: () => Promise<T>): Promise<T> {
  const runs = ctx.actionState.of(createRuns);
  const previous = runs.get(nonceHash);
  const { promise: run, resolve: end } = Promise.withResolvers<undefined>();
  runs.set(nonceHash, run);
  try {
    if (previous !== undefined) await raceTimeout(ctx.timers, QUEUE_TIMEOUT_MILLISECONDS, previous, undefined);
    return await judge();
  } finally {
    if (runs.get(nonceHash) === run) runs.delete(nonceHash);
    end(undefined);
  }
}
