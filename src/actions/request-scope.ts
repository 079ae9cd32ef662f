/** What does an action know of the request that waits for its answer? */
import { chainUnreadable } from '../domain/faults.ts';

export interface RequestScope {
  /** Whether an answer would still be the first. */
  readonly isAwaited: boolean;
  /** Says what the answer waits for from now on, so that a deadline can name it. At first it is the chain. */
  setPhase(what: 'chain' | 'store'): void;
}

/** Throws `ChainUnreadable` where nobody waits any more: what nobody waits for is not begun. */
export function throwIfAborted({ isAwaited }: RequestScope): void {
  if (!isAwaited) throw chainUnreadable('main', 'deadline');
}

/** To be called before anything is written. Throws as `throwIfAborted`. */
export function enterCommitPhase(awaiting: RequestScope): void {
  throwIfAborted(awaiting);
  awaiting.setPhase('store');
}
