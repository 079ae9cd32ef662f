/**
 * JSON-RPC client for one call to one node, with strict response validation: the id that was sent, either a result or an error,
 * a body within the size limit. Integers that a JSON number cannot hold exactly (`rentEpoch`) occur only in members that nothing
 * reads. No node text and no URL (it may hold a key) leaves this file, only codes and fixed words.
 */
import { isObject, parseJson } from '../../../domain/json/json-values.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';
import { postToNode, type RpcNode, type SendOptions } from '../../rpc/http-post.ts';

export interface AltRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * How the node pool handles a failure. `failed`: open the node's circuit breaker; `busy`: the node is rate limiting or overloaded;
 * `behind`: it has not reached the slot; `no-block`: it does not have the block; `refused`: the node is healthy, try another one.
 */
export type FailureKind = 'failed' | 'busy' | 'behind' | 'no-block' | 'refused';

/** Error of a call that got no usable response from a node. */
export class AltRpcError extends Error {
  readonly unreadable: UnreadableCause;
  readonly kind: FailureKind;
  /** Code of a JSON-RPC error. */
  readonly code: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Whether the node refused the call for the number of calls. */
  readonly isRateLimited: boolean;

  constructor(
    unreadable: UnreadableCause,
    kind: FailureKind = 'failed',
    details: {
      readonly code?: number;
      readonly retryAfterSeconds?: number | undefined;
      readonly isRateLimited?: boolean;
    } = {},
  ) {
    super(unreadable);
    this.name = 'RpcFailure';
    this.unreadable = unreadable;
    this.kind = kind;
    this.code = details.code;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.isRateLimited = details.isRateLimited ?? false;
  }
}

let lastId = 0;

/** Sends a call and returns its result. Throws `AltRpcError`. */
export async function sendAltRpc(node: RpcNode, call: AltRpcCall, options: SendOptions): Promise<unknown> {
  const id = ++lastId;
  const { method, params } = call;
  const response = await postToNode(node, JSON.stringify({ jsonrpc: '2.0', id, method, params }), options);
  if (typeof response === 'string') throw new AltRpcError(response);
  const { status, retryAfterSeconds, body } = response;
  if (status === 429) throw new AltRpcError('transport', 'busy', { retryAfterSeconds, isRateLimited: true });
  const isHttpSuccess = status >= 200 && status < 300;
  const parsed = body === undefined ? undefined : parseResponse(body.toString(), id);
  if (parsed?.code !== undefined) throw toRpcError(parsed.code, retryAfterSeconds);
  if (!isHttpSuccess) throw new AltRpcError('transport', status >= 500 ? 'busy' : 'failed', { retryAfterSeconds });
  if (parsed === undefined) throw new AltRpcError('malformed');
  return parsed.result;
}

/** Codes of transient errors (chain-svm 8). */
const NODE_BEHIND = -32005;
const RATE_LIMITED: readonly number[] = [429, -32429];
const SLOT_NOT_REACHED = -32016;
const NO_BLOCK: readonly number[] = [-32004, -32007, -32009, -32014];

function toRpcError(code: number, retryAfterSeconds: number | undefined): AltRpcError {
  const isRateLimited = RATE_LIMITED.includes(code);
  if (code === NODE_BEHIND || isRateLimited) {
    return new AltRpcError('rpc-error', 'busy', { code, retryAfterSeconds, isRateLimited });
  }
  if (code === SLOT_NOT_REACHED) return new AltRpcError('rpc-error', 'behind', { code, retryAfterSeconds });
  return new AltRpcError('rpc-error', NO_BLOCK.includes(code) ? 'no-block' : 'refused', { code });
}

/** Parses a response body; undefined if it is not the response to the call. An error may have a null id: the node could not parse the call. */
function parseResponse(
  body: string,
  sentId: number,
): { readonly code?: undefined; readonly result: unknown } | { readonly code: number } | undefined {
  const entry = parseJson(body);
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { id, result, error } = entry;
  if (error === undefined || error === null) {
    return id === sentId && 'result' in entry ? { result } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if ((id !== sentId && id !== null) || (result !== undefined && result !== null)) return undefined;
  return { code: error['code'] as number };
}
