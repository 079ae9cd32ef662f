/**
 * JSON-RPC over HTTP to one node, with strict validation: a response counts when it is the only one for its id and is
 * either a result or an error, in a body within the size limit. No text of a node and no URL (it may hold a key) leaves this file, only codes and fixed
 * words.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { isObject } from '../../../domain/json/json-values.ts';
import type { Hex } from 'viem';
import { postToNode, type RpcNode, type SendOptions } from '../../rpc/http-post.ts';
import { mapInTicks } from '../../rpc/map-in-ticks.ts';
import { parseNodeJson } from '../../rpc/node-json.ts';
import { isRateText, isUsedUpText, mayBeUsedUp, readErrorText } from '../../rpc/rate-text.ts';
import { parseResponseId } from '../../rpc/response-id.ts';
import { limitResponseBytes, MAX_PARSED_BYTES } from '../../rpc/response-limits.ts';
import {
  PAYMENT_REQUIRED,
  paymentRequired,
  RpcFailure,
  SERVICE_UNAVAILABLE,
  tooManyRequests,
} from '../../rpc/rpc-failure.ts';
import { IrregularJson, JsonCursor } from './json-cursor.ts';
import { LargeReadingFailed, MAX_INLINE_BYTES, type LargeResponseReader } from './large-response-reader.ts';
import { readEntries, type ResponseEntry, type ResultReader } from './large-responses.ts';
import { findPackedResult } from './packed-results.ts';
import { isHexData } from './quantities.ts';

export interface MainRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /**
   * Reads the result in place. A result it rejects is returned as parsed, unless the response is large.
   */
  readonly read?: ResultReader | undefined;
  /** Returns whether a result can be that of this call. A node that sends another one is left to others. */
  readonly accepts?: ((result: unknown) => boolean | Promise<boolean>) | undefined;
  /** Receives each result as soon as it has arrived. What it throws ends the delivery of all calls. */
  readonly onResult?: (result: unknown) => void;
  /** Whether this last call shows what held after the others: it is not answered before one of them. */
  readonly isCheck?: boolean;
}

/**
 * Class of an error beyond its code. `too-large`: the query or its result exceeds a limit, a smaller one may pass;
 * `rate`: a rate limit; `batch`: a limit of batches; `unknown-block`: the node does not have the requested block.
 */
export type RpcHint = 'too-large' | 'rate' | 'batch' | 'unknown-block' | undefined;

export type RpcResponse =
  | {
      readonly ok: true;
      readonly result: unknown;
      /** Position of the node that returned it. */
      readonly node?: number | undefined;
    }
  | { readonly ok: false; readonly code: number; readonly revertData: Hex | undefined; readonly hint: RpcHint };

export interface MainSendOptions extends SendOptions {
  /** Reads large responses outside of the main thread; without it they are read in place. */
  readonly largeResponses?: LargeResponseReader | undefined;
}

let lastId = 0;

/**
 * Sends all calls in one HTTP request and returns the responses in the order of the calls; undefined for a call of a
 * batch without exactly one response. Throws `RpcFailure` when the request as a whole has no usable response, with kind
 * `refused` when one error refuses a batch. A body over the size limit is a `too-large` error for every call of a batch, and for
 * one whose result may be of any length.
 */
export async function sendMainRpc(
  node: RpcNode,
  calls: readonly MainRpcCall[],
  options: MainSendOptions,
): Promise<(RpcResponse | undefined)[]> {
  const requests = calls.map((call) => ({ jsonrpc: '2.0', id: ++lastId, method: call.method, params: call.params }));
  const methods = calls.map(({ method }) => method);
  const maxResponseBytes = limitResponseBytes(methods, options.maxResponseBytes);
  const payload = JSON.stringify(requests.length === 1 ? requests[0] : requests);
  const reply = await postToNode(node, payload, { ...options, maxResponseBytes });
  if (typeof reply === 'string') {
    // A gateway that loses connections at times serves the same request soon.
    const isOfGateway = reply === 'lost' && calls.length === 1;
    throw new RpcFailure(reply === 'deadline' ? reply : 'transport', 'failed', { isOfGateway });
  }
  const { status, retryAfterSeconds, body } = reply;
  if (status === 429) throw tooManyRequests(body, retryAfterSeconds);
  // Another request fails too, for hours. A batch may be refused for its size.
  if (status === PAYMENT_REQUIRED && calls.length === 1) throw paymentRequired(retryAfterSeconds);
  const isHttpSuccess = status >= 200 && status < 300;
  if (body === undefined) {
    if (status === CONTENT_TOO_LARGE) return calls.map(() => SIZE_REFUSED);
    if (isHttpSuccess && (calls.length > 1 || OF_ANY_LENGTH.has(methods[0]!))) return calls.map(() => TOO_LARGE);
    throw new RpcFailure(isHttpSuccess ? 'malformed' : 'transport');
  }
  const ids = requests.map(({ id }) => id);
  const found =
    (await readInPlace(body, ids, calls, options.largeResponses)) ??
    (await parseResponses(body, ids))?.map((response, i) => response && applyReader(response, calls[i]!));
  const responses = found?.map((response, i) => response && resolveLimit(response, calls[i]!, status));
  if (responses === undefined && status === CONTENT_TOO_LARGE) return calls.map(() => SIZE_REFUSED);
  if (responses === undefined || (!isHttpSuccess && responses.some((response) => response?.ok === true))) {
    throw new RpcFailure(isHttpSuccess ? 'malformed' : 'transport', 'failed', {
      code: status,
      isOfGateway: !startsAsJson(body),
      isOverload: status === SERVICE_UNAVAILABLE,
    });
  }
  if (responses.every((response) => response !== undefined && isRateLimited(response))) {
    const isUsedUp = responses.every((response) => response?.ok === false && response.code === PAYMENT_REQUIRED);
    if (isUsedUp && mayBeUsedUp(retryAfterSeconds)) throw paymentRequired(retryAfterSeconds);
    throw new RpcFailure('transport', 'rate', { retryAfterSeconds });
  }
  if (status >= FIRST_GATEWAY_STATUS) {
    const isOverload = status === SERVICE_UNAVAILABLE;
    throw new RpcFailure('transport', 'failed', { code: status, isOfGateway: true, isOverload });
  }
  return responses;
}

/** From here on, a status is that of a gateway that did not reach the node. */
export const FIRST_GATEWAY_STATUS = 502;

/** Returns whether a body may be JSON-RPC; a gateway sends HTML, text or nothing. */
function startsAsJson(body: string | Buffer): boolean {
  return /^\s*[[{]/.test(typeof body === 'string' ? body : body.toString('latin1', 0, 100));
}

export function isRateLimited(response: RpcResponse): boolean {
  return !response.ok && response.hint === 'rate';
}

/** Returns whether an error of a call of this method, in any chain's JSON-RPC, refuses it because of a rate. */
export function isRateError(method: string, error: unknown): boolean {
  const response = parseResponse({ jsonrpc: '2.0', id: 0, error })?.response;
  if (response === undefined) return false;
  return isRateLimited(method.startsWith('eth_') ? resolveLimit(response, { method, params: [] }) : response);
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

/**
 * Resolves an unclear error by the HTTP status 413, and an ambiguous -32005: some nodes mean a rate, others a range, and
 * only log queries have a range.
 */
function resolveLimit(response: RpcResponse, call: MainRpcCall, status?: number): RpcResponse {
  if (response.ok || response.hint !== undefined) return response;
  if (status === CONTENT_TOO_LARGE) return { ...response, hint: 'too-large' };
  if (response.code !== -32005) return response;
  return { ...response, hint: call.method === 'eth_getLogs' ? 'too-large' : 'rate' };
}

/** Methods whose result is as long as the query or the transaction makes it; a longer result of any other is the fault of its node. */
const OF_ANY_LENGTH: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_getLogs',
  'eth_getBlockReceipts',
  'eth_getTransactionReceipt',
]);

const CONTENT_TOO_LARGE = 413;

/** Response to calls whose results exceed the size limit. */
export const TOO_LARGE: RpcResponse = {
  ok: false,
  code: CONTENT_TOO_LARGE,
  revertData: undefined,
  hint: 'too-large',
};

/** Response to calls that the node refuses for their size. Unlike `TOO_LARGE`, it says nothing against the node. */
const SIZE_REFUSED: RpcResponse = { ...TOO_LARGE };

/** Returns whether the response exceeded the size limit; another node may send a sound one. */
export function isOversized(response: RpcResponse): boolean {
  return response === TOO_LARGE;
}

/**
 * Reads the results of calls with readers in place; undefined for a call without a response in a large body. Undefined:
 * no call has a reader, or the body is left to the general parser. Throws `RpcFailure` for a large body of another form.
 */
async function readInPlace(
  body: string | Buffer,
  ids: readonly number[],
  calls: readonly MainRpcCall[],
  largeResponses: LargeResponseReader | undefined,
): Promise<(RpcResponse | undefined)[] | undefined> {
  if (calls.every(({ read }) => read === undefined)) return undefined;
  if (largeResponses === undefined || typeof body === 'string' || body.length <= MAX_INLINE_BYTES) {
    const readers = new Map(ids.map((id, i) => [id, calls[i]!.read]));
    const entries = readEntries(typeof body === 'string' ? Buffer.from(body) : body, readers);
    const responses = await toResponses(ids, entries);
    return responses.includes(undefined) ? undefined : responses;
  }
  const kinds = new Map(ids.map((id, i) => [id, findPackedResult(calls[i]!.read)]));
  const entries = await largeResponses.read(body as Buffer<ArrayBuffer>, kinds).catch((error: unknown) => {
    if (!(error instanceof LargeReadingFailed)) throw error;
    if (!error.isOfBody) throw new RpcFailure('transport', 'local');
    return undefined;
  });
  const responses = await toResponses(ids, entries);
  if (responses.every((response) => response === undefined)) throw new RpcFailure('malformed');
  return responses;
}

/**
 * Returns the response to each id; undefined for a call without one, and for texts beyond what may be parsed of a batch.
 * The event loop runs between long texts, because each of them may have 1 MiB.
 */
async function toResponses(
  ids: readonly number[],
  entries: ReadonlyMap<number, ResponseEntry> | undefined,
): Promise<(RpcResponse | undefined)[]> {
  const responses: (RpcResponse | undefined)[] = [];
  let parsedBytes = 0;
  let tickBytes = 0;
  for (const id of ids) {
    const entry = entries?.get(id);
    const bytes = entry === undefined || entry.kind === 'read' ? 0 : entry.text.length;
    parsedBytes += bytes;
    if (tickBytes > 0 && tickBytes + bytes > MAX_INLINE_BYTES) {
      await nextTick();
      tickBytes = 0;
    }
    tickBytes += bytes;
    responses.push(bytes > 0 && parsedBytes > MAX_PARSED_BYTES ? undefined : await toResponse(id, entry));
  }
  return responses;
}

async function toResponse(id: number, entry: ResponseEntry | undefined): Promise<RpcResponse | undefined> {
  if (entry === undefined) return undefined;
  if (entry.kind === 'read') return { ok: true, result: entry.value };
  const value = await parseNodeJson(entry.text);
  if (value === undefined) return undefined;
  return parseResponse({ jsonrpc: '2.0', id, [entry.kind]: value })?.response;
}

/** Entries of a batch that are read in one tick. A sound batch has one for each call. */
const ENTRIES_PER_TICK = 1_000;

/**
 * Returns the response to each id; undefined when the body holds none. Throws `RpcFailure` when one error refuses the
 * batch.
 */
async function parseResponses(
  body: string | Buffer,
  ids: readonly number[],
): Promise<(RpcResponse | undefined)[] | undefined> {
  const parsed = await parseNodeJson(body);
  if (ids.length === 1) {
    const single = parseResponse(parsed);
    // An error may have no id: the node did not read the call.
    const isOfCall = single?.id === ids[0] || (single?.response.ok === false && (single.id ?? null) === null);
    return isOfCall ? [single!.response] : undefined;
  }
  const entries = await mapInTicks(Array.isArray(parsed) ? parsed : [parsed], ENTRIES_PER_TICK, parseResponse);
  // Some nodes refuse a batch with one error, as an object or in an array, with the id of the first call or none.
  if (entries.length === 1 && entries[0]?.response.ok === false) throw toBatchRefusal(entries[0].response);
  const byId = new Map<unknown, RpcResponse | undefined>();
  for (const entry of entries) {
    if (entry !== undefined) byId.set(entry.id, byId.has(entry.id) ? undefined : entry.response);
  }
  const responses = ids.map((id) => byId.get(id));
  return responses.some((response) => response !== undefined) ? responses : undefined;
}

function toBatchRefusal({ code, hint }: RpcResponse & { readonly ok: false }): RpcFailure {
  if (hint !== 'rate') return new RpcFailure('rpc-error', 'refused', { code });
  return code === PAYMENT_REQUIRED ? paymentRequired() : new RpcFailure('transport', 'rate', { code });
}

function parseResponse(entry: unknown): { readonly id: unknown; readonly response: RpcResponse } | undefined {
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { result, error } = entry;
  const id = parseResponseId(entry['id']);
  if (error === undefined || error === null) {
    return 'result' in entry ? { id, response: { ok: true, result } } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if (result !== undefined && result !== null) return undefined;
  const code = error['code'] as number;
  const revertData = parseRevertData(error['data']) ?? (isRevertWithoutData(error) ? '0x' : undefined);
  const text = toText(error);
  const hint = revertData === undefined ? toHint(code, text) : undefined;
  const isUsedUp = hint === 'rate' && isUsedUpText(text, undefined);
  return { id, response: { ok: false, code: isUsedUp ? PAYMENT_REQUIRED : code, revertData, hint } };
}

/** Members of an error's data that are read. */
const MAX_DETAILS = 16;

/** Returns the message and the data, which some nodes put the reason in: as a text, or in members of an object. */
function toText({ message, data }: Record<string, unknown>): string {
  return [message, ...listDetails(data)].map(readErrorText).join(' ');
}

function listDetails(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data.slice(0, MAX_DETAILS);
  if (!isObject(data)) return [data];
  const names = Object.keys(data).slice(0, MAX_DETAILS);
  return names.flatMap((name) => [name, data[name]]);
}

/** Code of a reverted execution, whose revert data may be missing. */
const REVERTED = 3;
/** What OpenEthereum and nodes like it put before revert data. */
const REVERTED_TEXT = 'Reverted ';

/** Returns whether an execution reverted. Geth and nodes like it have another code where there is no revert data. */
function isRevertWithoutData({ code, message, data }: Record<string, unknown>): boolean {
  return (
    code === REVERTED || (readErrorText(message).toLowerCase() === 'execution reverted' && (data ?? null) === null)
  );
}

/** Accepts hex text, as some nodes send it after `Reverted `, or an object whose `data` is hex text. */
function parseRevertData(data: unknown): Hex | undefined {
  const given = isObject(data) ? data['data'] : data;
  const text = typeof given === 'string' && given.startsWith(REVERTED_TEXT) ? given.slice(REVERTED_TEXT.length) : given;
  return isHexData(text) ? (text.toLowerCase() as Hex) : undefined;
}

const SIZE_TEXT =
  /range|too (large|big|many)|more than \d|at most \d|max(imum)? (results|logs)|requested blocks|limited to|result.{0,24}(limit|exceed)|response size|time(d )?.?out|out of gas|outofgas|gas (limit|required)|proof size/i;
const BLOCK_TEXT = /(header|block) not found|unknown block|missing trie|block.?out.?of.?range|beyond.{0,20}head/i;

const BATCH_TEXT = /batch/i;
const RATE_CODES = new Set([429, -32029, -32429]);

function toHint(code: number, text: string): RpcHint {
  // Its text may say how batches count. A batch that can never fit the rate gets smaller, too.
  if (RATE_CODES.has(code)) return 'rate';
  // A limit of batches is found by a smaller batch, whatever else the text says; a batch may be refused by 402 for its size.
  if (BATCH_TEXT.test(text)) return 'batch';
  if (code === PAYMENT_REQUIRED || isRateText(text)) return 'rate';
  if (BLOCK_TEXT.test(text)) return 'unknown-block';
  return code === -32614 || SIZE_TEXT.test(text) ? 'too-large' : undefined;
}
