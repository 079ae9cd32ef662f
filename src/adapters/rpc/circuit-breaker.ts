/**
 * Circuit breaker of one node. A failure opens it for a time that doubles with each further failure; afterwards the
 * node is tried again, so the service recovers without a restart.
 */
import type { UnreadableCause } from '../../domain/faults.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { isFresh } from './is-fresh.ts';
import { RpcFailure } from './rpc-failure.ts';

export interface BreakerLimits {
  readonly firstOpenMilliseconds: number;
  readonly maxOpenMilliseconds: number;
  /** Upper bound of a delay that a node requests, and of the open time after refusals because of its rate limit. */
  readonly maxRetryAfterMilliseconds: number;
}

export interface CircuitBreakerOptions {
  /** Name of the chain in the log. */
  readonly chain: string;
  /** Position in the configuration, from 0. */
  readonly position: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: BreakerLimits;
}

export interface CircuitBreaker {
  readonly lastFailure: RpcFailure;
  isOpen(): boolean;
  /** Returns the time until the breaker closes; negative when it is closed. */
  remainingMilliseconds(): number;
  /** Returns whether the last failure has this cause and is not older than this. */
  hasFailed(cause: UnreadableCause, withinMilliseconds: number): boolean;
  recordFailure(failure: RpcFailure): void;
  recordSuccess(): void;
}

/** Exceeds every bound in use. */
const MAX_DOUBLINGS = 16;

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { chain, position, clock, log, limits } = options;
  /** Names the node in the log, as `svc doctor` and `/status` do. */
  const endpoint = position + 1;
  let lastFailure = new RpcFailure('transport');
  let failures = 0;
  let openedAtMilliseconds = 0;
  let openMilliseconds = 0;

  const isOpen = () => isFresh(clock, openedAtMilliseconds, openMilliseconds);

  return {
    get lastFailure() {
      return lastFailure;
    },
    isOpen,
    hasFailed: (cause, withinMilliseconds) =>
      lastFailure.unreadable === cause && isFresh(clock, openedAtMilliseconds, withinMilliseconds),
    remainingMilliseconds: () => openedAtMilliseconds + openMilliseconds - clock.nowMilliseconds(),
    recordFailure(failure) {
      lastFailure = failure;
      // Concurrent requests that fail together count as one failure of the node.
      if (isOpen()) return;
      const grown = limits.firstOpenMilliseconds * 2 ** Math.min(failures, MAX_DOUBLINGS);
      const requested = Math.min((failure.retryAfterSeconds ?? 0) * 1000, limits.maxRetryAfterMilliseconds);
      openedAtMilliseconds = clock.nowMilliseconds();
      const maxOpen = failure.kind === 'rate' ? limits.maxRetryAfterMilliseconds : limits.maxOpenMilliseconds;
      openMilliseconds = Math.max(Math.min(grown, maxOpen), requested);
      failures += 1;
      log.warn({ chain, endpoint, cause: failure.unreadable, failures }, 'rpc endpoint failed');
    },
    recordSuccess() {
      if (failures === 0) return;
      failures = 0;
      log.info({ chain, endpoint }, 'rpc endpoint recovered');
    },
  };
}
