/** Error of a request that got no usable response from a node, of either chain. */
import type { UnreadableCause } from '../../domain/faults.ts';
import { isUsedUpText, readErrorText } from './rate-text.ts';

/**
 * How the node pool handles a failure. `failed`: the node is unusable for a while; `busy`: it is overloaded or behind;
 * `rate`: it refused because of its rate limit; `behind`: it has not reached the requested slot; `no-block`: it does
 * not have the block; `refused`: the node is healthy, but does not serve this request; `unsound`: its result cannot be
 * that of the call; `local`: this process did not send the calls or could not read the response, which says nothing about the
 * node.
 */
export type FailureKind = 'failed' | 'busy' | 'rate' | 'behind' | 'no-block' | 'refused' | 'unsound' | 'local';

export class RpcFailure extends Error {
  readonly unreadable: UnreadableCause;
  readonly kind: FailureKind;
  /** Code of a JSON-RPC error, or the HTTP status. */
  readonly code: number | undefined;
  /** Delay that the node requested (`Retry-After`). */
  readonly retryAfterSeconds: number | undefined;
  /** Whether a gateway in front of the node responded; the same request may succeed at once. */
  readonly isOfGateway: boolean;
  /** Whether a gateway reported that it cannot serve the request now (HTTP 503), as some do above a rate. */
  readonly isOverload: boolean;

  constructor(
    unreadable: UnreadableCause,
    kind: FailureKind = 'failed',
    details: {
      readonly code?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly isOfGateway?: boolean;
      readonly isOverload?: boolean;
    } = {},
  ) {
    super(unreadable);
    this.name = 'RpcFailure';
    this.unreadable = unreadable;
    this.kind = kind;
    this.code = details.code;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.isOfGateway = details.isOfGateway === true;
    this.isOverload = details.isOverload === true;
  }
}

/** Code of JSON-RPC: the node does not serve this method. */
export const METHOD_NOT_FOUND = -32_601;
/** HTTP status of a node whose prepaid calls, or those of the day, are used up. */
export const PAYMENT_REQUIRED = 402;
/** HTTP status of a gateway that cannot serve a request now. */
export const SERVICE_UNAVAILABLE = 503;

/** Returns the cause of the fault that the failure becomes. */
export function toUnreadableCause(failure: RpcFailure): UnreadableCause {
  if (failure.kind !== 'rate') return failure.unreadable;
  return isUsedUp(failure) ? 'calls-used-up' : 'rate-limited';
}

/** Least pause after HTTP 402. */
const USED_UP_SECONDS = 60;

/** Returns the failure of a request with this status: another one fails too, for hours. */
export function paymentRequired(retryAfterSeconds = 0): RpcFailure {
  const seconds = Math.max(USED_UP_SECONDS, retryAfterSeconds);
  return new RpcFailure('transport', 'rate', { code: PAYMENT_REQUIRED, retryAfterSeconds: seconds });
}

/** Returns whether the calls of the node are used up for a day or longer. */
export function isUsedUp({ kind, code }: RpcFailure): boolean {
  return kind === 'rate' && code === PAYMENT_REQUIRED;
}

/** Returns the failure of a request with HTTP 429. */
export function tooManyRequests(body: string | Buffer | undefined, retryAfterSeconds: number | undefined): RpcFailure {
  if (isUsedUpText(readErrorText(body), retryAfterSeconds)) return paymentRequired(retryAfterSeconds);
  return new RpcFailure('transport', 'rate', { retryAfterSeconds });
}

const TRANSIENT: readonly FailureKind[] = ['busy', 'rate', 'behind', 'no-block', 'local'];

/** Returns whether the same request may succeed later. */
export function isTransientFailure({ kind }: RpcFailure): boolean {
  return TRANSIENT.includes(kind);
}

/** Returns whether the node is not used for a while. */
export function isNodeFailure({ kind }: RpcFailure): boolean {
  return kind === 'failed' || kind === 'busy' || kind === 'rate' || kind === 'unsound';
}
