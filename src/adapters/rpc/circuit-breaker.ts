/**
 * Is a node left alone? One that failed is, for a pause that grows with each failure; then it is asked again, so the service heals without a
 * restart.
 */
import type { UnreadableCause } from '../../domain/faults.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { isFresh } from './is-fresh.ts';

export interface NodeFailure {
  readonly unreadable: UnreadableCause;
  /** What the node asked for. */
  readonly retryAfterSeconds: number | undefined;
}

export interface BreakerLimits {
  readonly firstPauseMilliseconds: number;
  readonly maxPauseMilliseconds: number;
  /** A longer wait than this is not believed. */
  readonly maxRetryAfterMilliseconds: number;
}

export interface CircuitBreakerOptions<Failure extends NodeFailure> {
  readonly chain: 'main' | 'alt';
  /** In the order of the configuration; what the log calls the node. */
  readonly position: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: BreakerLimits;
  /** What `lastFailure` is before any. */
  readonly noFailure: Failure;
}

export interface CircuitBreaker<Failure extends NodeFailure> {
  readonly lastFailure: Failure;
  isPaused(): boolean;
  /** Negative when it is over. */
  leftMilliseconds(): number;
  noteFailure(failure: Failure): void;
  noteSuccess(): void;
}

/** Longer doublings than this are beyond any bound. */
const MAX_DOUBLINGS = 16;

export function createCircuitBreaker<Failure extends NodeFailure>(
  options: CircuitBreakerOptions<Failure>,
): CircuitBreaker<Failure> {
  const { chain, position, clock, log, limits } = options;
  let lastFailure = options.noFailure;
  let failures = 0;
  let beganAtMilliseconds = 0;
  let pauseMilliseconds = 0;

  const isPaused = () => isFresh(clock, beganAtMilliseconds, pauseMilliseconds);

  return {
    get lastFailure() {
      return lastFailure;
    },
    isPaused,
    leftMilliseconds: () => beganAtMilliseconds + pauseMilliseconds - clock.nowMilliseconds(),
    noteFailure(failure) {
      lastFailure = failure;
      // Requests that were under way together are one failure of the node, not several.
      if (isPaused()) return;
      const grown = limits.firstPauseMilliseconds * 2 ** Math.min(failures, MAX_DOUBLINGS);
      const asked = Math.min((failure.retryAfterSeconds ?? 0) * 1000, limits.maxRetryAfterMilliseconds);
      beganAtMilliseconds = clock.nowMilliseconds();
      pauseMilliseconds = Math.max(Math.min(grown, limits.maxPauseMilliseconds), asked);
      failures += 1;
      log.warn({ chain, endpoint: position, cause: failure.unreadable, failures }, 'rpc endpoint failed');
    },
    noteSuccess() {
      if (failures === 0) return;
      failures = 0;
      log.info({ chain, endpoint: position }, 'rpc endpoint recovered');
    },
  };
}
