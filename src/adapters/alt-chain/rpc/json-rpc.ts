/**
 * JSON-RPC client for one call to one node, with strict response validation: the id that was sent, either a result or an error,
 * a body within the size limit. Integers that a JSON number cannot hold exactly (`rentEpoch`) occur only in members that nothing
 * reads. No node text and no URL (it may hold a key) leaves this file, only codes and fixed words.
 */
import { isObject } from '../../../domain/json/json-values.ts';
import { parseNodeJson } from '../../rpc/node-json.ts';
import { isRateText, isUsedUpText, readErrorText } from '../../rpc/rate-text.ts';
import { parseResponseId } from '../../rpc/response-id.ts';
import { limitResponseBytes } from '../../rpc/response-limits.ts';
import { postToNode, type RpcNode, type SendOptions } from '../../rpc/http-post.ts';
import {
  PAYMENT_REQUIRED,
  paymentRequired,
  RpcFailure,
  SERVICE_UNAVAILABLE,
  tooManyRequests,
} from '../../rpc/rpc-failure.ts';

export interface AltRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

let lastId = 0;

/** Sends a call and returns its result. Throws `RpcFailure`. */
export async function sendAltRpc(node: RpcNode, call: AltRpcCall, options: SendOptions): Promise<unknown> {
  const id = ++lastId;
  const { method, params } = call;
  const maxResponseBytes = limitResponseBytes([method], options.maxResponseBytes);
  const payload = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const response = await postToNode(node, payload, { ...options, maxResponseBytes });
  if (typeof response === 'string') throw new RpcFailure(response === 'lost' ? 'transport' : response);
  const { status, retryAfterSeconds, body } = response;
  if (status === 429) throw tooManyRequests(body, retryAfterSeconds);
  if (status === PAYMENT_REQUIRED) throw paymentRequired();
  const isHttpSuccess = status >= 200 && status < 300;
  const parsed = body === undefined ? undefined : await parseResponse(body, id);
  if (parsed?.error !== undefined) throw toRpcFailure(parsed.error, status, retryAfterSeconds);
  // A body over the limit of the node, which may have no envelope: fewer accounts may pass.
  if (status === 413) throw new RpcFailure('transport', 'refused', { code: status });
  if (status === SERVICE_UNAVAILABLE) throw overloaded(retryAfterSeconds);
  if (!isHttpSuccess) throw new RpcFailure('transport', status >= 500 ? 'busy' : 'failed', { retryAfterSeconds });
  if (parsed === undefined) throw new RpcFailure('malformed');
  return parsed.result;
}

/** Error of a node, with the text that distinguishes the two meanings of some codes. */
interface RpcError {
  readonly code: number;
  readonly text: string;
}

/** Codes of transient errors (chain-svm 8). */
const NODE_BEHIND = -32005;
const SLOT_NOT_REACHED = -32016;
const NO_BLOCK: readonly number[] = [-32004, -32007, -32009, -32014];
/** Codes of rate limits that arrive with HTTP 200. */
const RATE_CODES: readonly number[] = [429, -32429];

function toRpcFailure({ code, text }: RpcError, status: number, retryAfterSeconds: number | undefined): RpcFailure {
  if (RATE_CODES.includes(code) || isRateText(text)) {
    if (isUsedUpText(text, retryAfterSeconds)) return paymentRequired(retryAfterSeconds);
    return new RpcFailure('rpc-error', 'rate', { code, retryAfterSeconds });
  }
  if (code === NODE_BEHIND) return new RpcFailure('rpc-error', 'busy', { code, retryAfterSeconds });
  if (code === SLOT_NOT_REACHED) return new RpcFailure('rpc-error', 'behind', { code, retryAfterSeconds });
  if (NO_BLOCK.includes(code)) return new RpcFailure('rpc-error', 'no-block', { code });
  // The gateway did not reach the node, which refuses nothing.
  return status === SERVICE_UNAVAILABLE
    ? overloaded(retryAfterSeconds)
    : new RpcFailure('rpc-error', 'refused', { code });
}

function overloaded(retryAfterSeconds: number | undefined): RpcFailure {
  return new RpcFailure('transport', 'busy', { retryAfterSeconds, isOverload: true });
}

/** Parses a response body; undefined if it is not the response to the call. An error may have a null id: the node could not parse the call. */
async function parseResponse(
  body: string | Buffer,
  sentId: number,
): Promise<{ readonly error?: undefined; readonly result: unknown } | { readonly error: RpcError } | undefined> {
  const entry = await parseNodeJson(body);
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { result, error } = entry;
  const id = parseResponseId(entry['id']);
  if (error === undefined || error === null) {
    return id === sentId && 'result' in entry ? { result } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if ((id !== sentId && id !== null) || (result !== undefined && result !== null)) return undefined;
  return { error: { code: error['code'] as number, text: readErrorText(error['message']) } };
}
