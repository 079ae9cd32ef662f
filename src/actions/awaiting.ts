/** What does an action know of the request that waits for its answer? */

export interface Awaiting {
  /** Whether an answer would still be the first; what nobody waits for is not written. */
  readonly isAwaited: boolean;
  /** Says what the answer waits for from now on, so that a deadline can name it. At first it is the chain. */
  waitFor(what: 'chain' | 'store'): void;
}
