/**
 * JSON-RPC client for one call to one node, with strict response validation: the id that was sent, either a result or an error,
 * a body within the size limit. Integers that a JSON number cannot hold exactly (`rentEpoch`) occur only in members that nothing
 * reads. No node text and no URL (it may hold a key) leaves this file, only codes and fixed words.
 */
import { isObject } from '../../../domain/json/json-values.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';
import { parseNodeJson } from '../../rpc/node-json.ts';
import { isRateText, readErrorText } from '../../rpc/rate-text.ts';
import { limitResponseBytes } from '../../rpc/response-limits.ts';
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

  constructor(
    unreadable: UnreadableCause,
    kind: FailureKind = 'failed',
    details: { readonly code?: number; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(unreadable);
    this.name = 'RpcFailure';
    this.unreadable = unreadable;
    this.kind = kind;
    this.code = details.code;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

let lastId = 0;

/** Sends a call and returns its result. Throws `AltRpcError`. */
export async function sendAltRpc(node: RpcNode, call: AltRpcCall, options: SendOptions): Promise<unknown> {
  const id = ++lastId;
  const { method, params } = call;
  const maxResponseBytes = limitResponseBytes([method], options.maxResponseBytes);
  const payload = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const response = await postToNode(node, payload, { ...options, maxResponseBytes });
  if (typeof response === 'string') throw new AltRpcError(response);
  const { status, retryAfterSeconds, body } = response;
  if (status === 429) throw new AltRpcError('transport', 'busy', { retryAfterSeconds });
  const isHttpSuccess = status >= 200 && status < 300;
  const parsed = body === undefined ? undefined : parseResponse(body, id);
  if (parsed?.code !== undefined) throw toRpcError(parsed, retryAfterSeconds);
  if (!isHttpSuccess) throw new AltRpcError('transport', status >= 500 ? 'busy' : 'failed', { retryAfterSeconds });
  if (parsed === undefined) throw new AltRpcError('malformed');
  return parsed.result;
}

interface RpcErrorResponse {
  readonly code: number;
  readonly text: string;
}

/** Codes of transient errors (chain-svm 8). */
const NODE_BEHIND = -32005;
/** Codes of rate limits that arrive with HTTP 200. */
const RATE_LIMITS: readonly number[] = [429, -32429];
const SLOT_NOT_REACHED = -32016;
const NO_BLOCK: readonly number[] = [-32004, -32007, -32009, -32014];

function toRpcError({ code, text }: RpcErrorResponse, retryAfterSeconds: number | undefined): AltRpcError {
  if (code === NODE_BEHIND || RATE_LIMITS.includes(code) || isRateText(text)) {
    return new AltRpcError('rpc-error', 'busy', { code, retryAfterSeconds });
  }
  if (code === SLOT_NOT_REACHED) return new AltRpcError('rpc-error', 'behind', { code, retryAfterSeconds });
  return new AltRpcError('rpc-error', NO_BLOCK.includes(code) ? 'no-block' : 'refused', { code });
}

/** Parses a response body; undefined if it is not the response to the call. An error may have a null id: the node could not parse the call. */
function parseResponse(
  body: string | Buffer,
  sentId: number,
): { readonly code?: undefined; readonly result: unknown } | RpcErrorResponse | undefined {
  const entry = parseNodeJson(body);
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { id, result, error } = entry;
  if (error === undefined || error === null) {
    return id === sentId && 'result' in entry ? { result } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if ((id !== sentId && id !== null) || (result !== undefined && result !== null)) return undefined;
  return { code: error['code'] as number, text: readErrorText(error['message']) };
}
