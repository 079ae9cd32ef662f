/**
 * Which of several documents for one challenge is judged first? They take turns in the order in which they came, so that all but the first find the
 * challenge consumed before certificate, signatures and chain are looked at (evidence 8, "refusals are cheap"). Nothing rests on it: the
 * transaction alone decides who is accepted, so whoever has waited for long goes on beside the others.
 */
import type { Hex } from '../domain/evidence/signed-bytes.ts';
import type { Ctx } from '../ports/ctx.ts';

/** A small part of the route's 8 s: who waits for a document that waits for the chain still gets the answer of its own document, in time. */
export const QUEUE_TIMEOUT_MILLISECONDS = 500;

/** The end of the newest turn, by the hash of the nonce. */
const newestTurns = new WeakMap<Ctx, Map<Hex, Promise<undefined>>>();

/** What `judge` gives or throws, when it is its turn. */
export async function runExclusive<T>(ctx: Ctx, nonceHash: Hex, judge: () => Promise<T>): Promise<T> {
  const turns = newestTurns.get(ctx) ?? new Map<Hex, Promise<undefined>>();
  newestTurns.set(ctx, turns);
  const previous = turns.get(nonceHash);
  const { promise: turn, resolve: end } = Promise.withResolvers<undefined>();
  turns.set(nonceHash, turn);
  try {
    if (previous !== undefined) await untilEndOrImpatient(previous);
    return await judge();
  } finally {
    if (turns.get(nonceHash) === turn) turns.delete(nonceHash);
    end(undefined);
  }
}

function untilEndOrImpatient(turn: Promise<undefined>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, QUEUE_TIMEOUT_MILLISECONDS);
    void turn.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
