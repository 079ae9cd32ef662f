/** Reports the receivers of webhooks to operators: what waits, and what could not be delivered. */
import type { Ctx } from '../ports/ctx.ts';
import type { DeadLetter, ReceiverState } from '../ports/webhooks.ts';

export interface WatchReport {
  readonly newest: number;
  readonly receivers: readonly ReceiverState[];
  /** The newest ones. */
  readonly deadLetters: readonly DeadLetter[];
}

const MAX_DEAD_LETTERS = 100;

/** Throws `StoreUnavailable`. */
export async function getWatchReport({ store }: Ctx): Promise<WatchReport> {
  const [{ newest }, receivers, deadLetters] = await Promise.all([
    store.readChangeRange(),
    store.listReceiverStates(),
    store.listDeadLetters(MAX_DEAD_LETTERS),
  ]);
  return { newest, receivers, deadLetters };
}
