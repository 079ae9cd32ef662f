/** Scope of a request: what an action knows about the request that waits for its result. */
import { chainUnreadable } from '../domain/faults.ts';

export interface RequestScope {
  /** Whether the request still waits for a response. */
  readonly isAwaited: boolean;
  /** Sets what the request waits for, so that an expired deadline names it. Initially the chain. */
  setPhase(what: 'chain' | 'store'): void;
}

/** Throws `ChainUnreadable` when the request no longer waits, so that no further work starts. */
export function throwIfAborted({ isAwaited }: RequestScope): void {
  if (!isAwaited) throw chainUnreadable('main', 'deadline');
}

/** Starts the commit phase; called before the first write. Throws as `throwIfAborted`. */
export function enterCommitPhase(scope: RequestScope): void {
  throwIfAborted(scope);
  scope.setPhase('store');
}
