/**
 * Follows the feed of changes for any number of readers. One query a second finds out for all of them whether there are new changes; each
 * reader then reads its own pages from its own cursor.
 */
import type { ChangeKind, ChangePage } from '../domain/changes/machine-change.ts';
import type { Ctx } from '../ports/ctx.ts';
import { listChanges } from './changes.ts';

export const TAIL_INTERVAL_MILLISECONDS = 1_000;
const PAGE_CHANGES = 100;

export interface FollowOptions {
  readonly after: number;
  readonly kinds: readonly ChangeKind[] | undefined;
  readonly signal: AbortSignal;
}

/** Yields pages that moved the cursor, until the signal is aborted. Throws as `listChanges`; the caller then starts again. */
export async function* followChanges(
  ctx: Ctx,
  { after, kinds, signal }: FollowOptions,
): AsyncGenerator<ChangePage, void, undefined> {
  const tail = ctx.actionState.of(createTail);
  let cursor = after;
  while (!signal.aborted) {
    const before = cursor;
    const page = await listChanges(ctx, { after: cursor, limit: PAGE_CHANGES, kinds });
    cursor = page.next;
    if (cursor !== before) yield page;
    if (cursor >= page.newest) await tail.waitBeyond(ctx, cursor, signal);
  }
}

const createTail = () => new ChangeTail();

interface Waiter {
  readonly cursor: number;
  readonly resolve: () => void;
}

class ChangeTail {
  readonly #waiters = new Set<Waiter>();

  /** Resolves after there is a change beyond the cursor, after a failed query, or when the signal is aborted. */
  waitBeyond(ctx: Ctx, cursor: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((settle) => {
      const resolve = () => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', resolve);
        settle();
      };
      const waiter: Waiter = { cursor, resolve };
      signal.addEventListener('abort', resolve);
      this.#waiters.add(waiter);
      if (this.#waiters.size === 1) void this.#poll(ctx);
    });
  }

  /** Runs while any reader waits. */
  async #poll({ timers, store }: Ctx): Promise<void> {
    const forever = new AbortController().signal;
    while (this.#waiters.size > 0) {
      await timers.wait(TAIL_INTERVAL_MILLISECONDS, forever);
      // A reader that continues after a failure reports it.
      const newest = await store.readChangeRange().then(
        (range) => range.newest,
        () => Infinity,
      );
      for (const { cursor, resolve } of [...this.#waiters]) if (newest > cursor) resolve();
    }
  }
}
