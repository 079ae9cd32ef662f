/**
 * JSON-RPC over HTTP to one node, with strict validation: exactly one response per id, each a result or an error, the
 * body within a size limit. No text of a node and no URL (it may hold a key) leaves this file, only codes and fixed
 * words.
 */
import { isObject } from '../../../domain/json/json-values.ts';
import type { Hex } from 'viem';
import type { UnreadableCause } from '../../../domain/faults.ts';
import { postToNode, type RpcNode, type SendOptions } from '../../rpc/http-post.ts';
import { IrregularJson, JsonCursor } from './json-cursor.ts';
import { readResults, type ResultReader } from './large-responses.ts';
import { isHexData } from './quantities.ts';

export interface MainRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /**
   * Reads the result, in place when all calls of the request have the same reader. A result it rejects is returned as
   * parsed.
   */
  readonly read?: ResultReader | undefined;
}

/**
 * Class of an error beyond its code. `too-large`: the query or its result exceeds a limit, a smaller one may pass;
 * `rate`: a rate limit; `unknown-block`: the node does not have the requested block.
 */
export type RpcHint = 'too-large' | 'rate' | 'unknown-block' | undefined;

export type RpcResponse =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly revertData: Hex | undefined; readonly hint: RpcHint };

/** A node returned no usable response. */
export class MainRpcError extends Error {
  readonly unreadable: UnreadableCause;
  readonly rateLimited: boolean;
  readonly retryAfterSeconds: number | undefined;

  /** Whether the node refuses any call until the next day. */
  readonly isDayExhausted: boolean;

  constructor(unreadable: UnreadableCause, rateLimited = false, retryAfterSeconds?: number, isDayExhausted = false) {
    super(unreadable);
    this.name = 'MainRpcError';
    this.unreadable = unreadable;
    this.rateLimited = rateLimited;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isDayExhausted = isDayExhausted;
  }
}

let lastId = 0;

/**
 * Sends all calls in one HTTP request and returns the responses in the order of the calls. Throws `MainRpcError`. A
 * body over the size limit is a `too-large` error for every call.
 */
export async function sendMainRpc(
  node: RpcNode,
  calls: readonly MainRpcCall[],
  options: SendOptions,
): Promise<RpcResponse[]> {
  const requests = calls.map((call) => ({ jsonrpc: '2.0', id: ++lastId, method: call.method, params: call.params }));
  const reply = await postToNode(node, JSON.stringify(requests.length === 1 ? requests[0] : requests), options);
  if (typeof reply === 'string') throw new MainRpcError(reply);
  if (reply.status === 429) throw new MainRpcError('transport', true, reply.retryAfterSeconds);
  if (reply.status === 402) throw new MainRpcError('transport', true, reply.retryAfterSeconds, true);
  if (reply.status === 413 || reply.body === undefined) return calls.map(() => TOO_LARGE);
  const ids = requests.map(({ id }) => id);
  const found =
    readInPlace(reply.body, ids, calls) ??
    parseResponses(reply.body.toString(), ids)?.map((response, i) => applyReader(response, calls[i]!));
  const responses = found?.map((response, i) => resolveLimit(response, calls[i]!));
  const isHttpSuccess = reply.status >= 200 && reply.status < 300;
  if (responses === undefined || (!isHttpSuccess && responses.some((response) => response.ok))) {
    throw new MainRpcError(isHttpSuccess ? 'malformed' : 'transport');
  }
  if (responses.some((response) => !response.ok && response.hint === 'rate')) {
    throw new MainRpcError('transport', true, reply.retryAfterSeconds);
  }
  return responses;
}

/** Applies the call's reader to a parsed result, serialized again; a result that its reader rejects stays as parsed. */
function applyReader(response: RpcResponse, { read }: MainRpcCall): RpcResponse {
  if (!response.ok || read === undefined) return response;
  try {
    return { ok: true, result: read(new JsonCursor(Buffer.from(JSON.stringify(response.result)))) };
  } catch (error) {
    if (error instanceof IrregularJson) return response;
    throw error;
  }
}

/** Resolves an ambiguous -32005: some nodes mean a rate, others a range, and only log queries have a range. */
function resolveLimit(response: RpcResponse, call: MainRpcCall): RpcResponse {
  if (response.ok || response.code !== -32005 || response.hint !== undefined) return response;
  return { ...response, hint: call.method === 'eth_getLogs' ? 'too-large' : 'rate' };
}

const TOO_LARGE: RpcResponse = { ok: false, code: 413, revertData: undefined, hint: 'too-large' };

function readInPlace(
  body: string | Buffer,
  ids: readonly number[],
  calls: readonly MainRpcCall[],
): RpcResponse[] | undefined {
  const read = calls[0]?.read;
  if (read === undefined || calls.some((call) => call.read !== read)) return undefined;
  const results = readResults(typeof body === 'string' ? Buffer.from(body) : body, ids, read);
  return results?.map((result) => ({ ok: true, result }));
}

function parseResponses(body: string, ids: readonly number[]): RpcResponse[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) {
    const single = parseResponse(parsed);
    // A node may refuse a whole batch with one error without an id.
    const isWhole = single !== undefined && (ids.length === 1 ? single.id === ids[0] : !single.response.ok);
    return isWhole ? ids.map(() => single.response) : undefined;
  }
  if (ids.length === 1) return undefined;
  const byId = new Map<unknown, RpcResponse>();
  for (const entry of parsed) {
    const one = parseResponse(entry);
    if (one === undefined || byId.has(one.id)) return undefined;
    byId.set(one.id, one.response);
  }
  return byId.size === ids.length ? collect(byId, ids) : refusedBatch(byId, ids);
}

function collect(byId: ReadonlyMap<unknown, RpcResponse>, ids: readonly number[]): RpcResponse[] | undefined {
  const responses = ids.map((id) => byId.get(id));
  return responses.every((response) => response !== undefined) ? responses : undefined;
}

/** Returns the refusal for every call: some nodes refuse a long batch with an array of one error. */
function refusedBatch(byId: ReadonlyMap<unknown, RpcResponse>, ids: readonly number[]): RpcResponse[] | undefined {
  const [first] = byId.values();
  return byId.size === 1 && first?.ok === false ? ids.map(() => first) : undefined;
}

function parseResponse(entry: unknown): { readonly id: unknown; readonly response: RpcResponse } | undefined {
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { id, result, error } = entry;
  if (error === undefined || error === null) {
    return 'result' in entry ? { id, response: { ok: true, result } } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if (result !== undefined && result !== null) return undefined;
  const code = error['code'] as number;
  const revertData = parseRevertData(error['data']) ?? (code === REVERTED ? '0x' : undefined);
  const hint = revertData === undefined ? toHint(code, String(error['message'])) : undefined;
  return { id, response: { ok: false, code, revertData, hint } };
}

/** Code of a reverted execution, whose revert data may be missing. */
const REVERTED = 3;

/** Accepts hex text or an object whose `data` is hex text. */
function parseRevertData(data: unknown): Hex | undefined {
  const text = isObject(data) ? data['data'] : data;
  return isHexData(text) ? (text.toLowerCase() as Hex) : undefined;
}

const RATE_TEXT =
  /rate.?limit|too many requests|request (count|limit)|per second|throttl|capacity|quota|compute units/i;
const SIZE_TEXT =
  /range|too (large|big|many)|more than \d|limited to|result.{0,24}(limit|exceed)|response size|out of gas|outofgas|gas (limit|required)|proof size/i;
const BLOCK_TEXT = /(header|block) not found|unknown block|missing trie|block.?out.?of.?range|beyond.{0,20}head/i;

function toHint(code: number, text: string): RpcHint {
  if (code === -32029 || RATE_TEXT.test(text)) return 'rate';
  if (BLOCK_TEXT.test(text)) return 'unknown-block';
  return code === -32614 || SIZE_TEXT.test(text) ? 'too-large' : undefined;
}
