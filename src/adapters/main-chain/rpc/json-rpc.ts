/**
 * How is one JSON-RPC request sent to one node, and when is its answer believed?
 * Strict in what it accepts: every id answered exactly once, each answer a result or an error, the whole body within a size.
 * No text of a node, and no URL (it may hold a key), leaves this file: only codes and fixed words do.
 */
import type { Hex } from 'viem';
import type { UnreadableCause } from '../../../domain/faults.ts';
import { postToNode, type RpcNode, type SendOptions } from '../../rpc/http-post.ts';
import { IrregularJson, JsonCursor } from './json-cursor.ts';
import { readResults, type ResultReader } from './large-responses.ts';
import { isHexData } from './quantities.ts';

export interface MainRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Reads the result: where it stands in the answer, when all calls of the request read alike. What it does not take is parsed. */
  readonly read?: ResultReader | undefined;
}

/**
 * What an error says beyond its code. `too-large`: the query or its answer is over a limit, a smaller one may pass;
 * `rate`: wait; `unknown-block`: the node has not the block that was asked for.
 */
export type RpcHint = 'too-large' | 'rate' | 'unknown-block' | undefined;

export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly revertData: Hex | undefined; readonly hint: RpcHint };

/** No usable answer of one node. */
export class MainRpcError extends Error {
  readonly unreadable: UnreadableCause;
  readonly rateLimited: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(unreadable: UnreadableCause, rateLimited = false, retryAfterSeconds?: number) {
    super(unreadable);
    this.name = 'RpcFailure';
    this.unreadable = unreadable;
    this.rateLimited = rateLimited;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

let lastId = 0;

/**
 * Sends all calls in one HTTP request; the answers have the order of the calls.
 * Throws `AltRpcError`. An answer over the size limit is an answer `too-large` to every call.
 */
export async function sendMainRpc(
  node: RpcNode,
  calls: readonly MainRpcCall[],
  options: SendOptions,
): Promise<RpcAnswer[]> {
  const requests = calls.map((call) => ({ jsonrpc: '2.0', id: ++lastId, method: call.method, params: call.params }));
  const response = await postToNode(node, JSON.stringify(requests.length === 1 ? requests[0] : requests), options);
  if (typeof response === 'string') throw new MainRpcError(response);
  if (response.status === 429) throw new MainRpcError('transport', true, response.retryAfterSeconds);
  if (response.status === 413 || response.body === undefined) return calls.map(() => TOO_LARGE);
  const ids = requests.map(({ id }) => id);
  const found =
    readAnswers(response.body, ids, calls) ??
    parseAnswers(response.body.toString(), ids)?.map((answer, i) => readApart(answer, calls[i]!));
  const answers = found?.map((answer, i) => settleLimit(answer, calls[i]!));
  const isHttpSuccess = response.status >= 200 && response.status < 300;
  if (answers === undefined || (!isHttpSuccess && answers.some((answer) => answer.ok))) {
    throw new MainRpcError(isHttpSuccess ? 'malformed' : 'transport');
  }
  if (answers.some((answer) => !answer.ok && answer.hint === 'rate')) {
    throw new MainRpcError('transport', true, response.retryAfterSeconds);
  }
  return answers;
}

/** A result that came beside others, or beside an error, is written out again for its reader: what is not read so is not proven. */
function readApart(answer: RpcAnswer, { read }: MainRpcCall): RpcAnswer {
  if (!answer.ok || read === undefined) return answer;
  try {
    return { ok: true, result: read(new JsonCursor(Buffer.from(JSON.stringify(answer.result)))) };
  } catch (error) {
    if (error instanceof IrregularJson) return answer;
    throw error;
  }
}

/** -32005 alone names a rate for some nodes and a range for others; only a log query has a range. */
function settleLimit(answer: RpcAnswer, call: MainRpcCall): RpcAnswer {
  if (answer.ok || answer.code !== -32005 || answer.hint !== undefined) return answer;
  return { ...answer, hint: call.method === 'eth_getLogs' ? 'too-large' : 'rate' };
}

const TOO_LARGE: RpcAnswer = { ok: false, code: 413, revertData: undefined, hint: 'too-large' };

function readAnswers(
  body: string | Buffer,
  ids: readonly number[],
  calls: readonly MainRpcCall[],
): RpcAnswer[] | undefined {
  const read = calls[0]?.read;
  if (read === undefined || calls.some((call) => call.read !== read)) return undefined;
  const results = readResults(typeof body === 'string' ? Buffer.from(body) : body, ids, read);
  return results?.map((result) => ({ ok: true, result }));
}

function parseAnswers(body: string, ids: readonly number[]): RpcAnswer[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) {
    const single = parseAnswer(parsed);
    // A batch may be refused as a whole, by one error without an id.
    const isWhole = single !== undefined && (ids.length === 1 ? single.id === ids[0] : !single.answer.ok);
    return isWhole ? ids.map(() => single.answer) : undefined;
  }
  if (ids.length === 1) return undefined;
  const byId = new Map<unknown, RpcAnswer>();
  for (const entry of parsed) {
    const one = parseAnswer(entry);
    if (one === undefined || byId.has(one.id)) return undefined;
    byId.set(one.id, one.answer);
  }
  return byId.size === ids.length ? collect(byId, ids) : refusedBatch(byId, ids);
}

function collect(byId: ReadonlyMap<unknown, RpcAnswer>, ids: readonly number[]): RpcAnswer[] | undefined {
  const answers = ids.map((id) => byId.get(id));
  return answers.every((answer) => answer !== undefined) ? answers : undefined;
}

/** Some nodes refuse a batch that is too long with an array of one error. */
function refusedBatch(byId: ReadonlyMap<unknown, RpcAnswer>, ids: readonly number[]): RpcAnswer[] | undefined {
  const [first] = byId.values();
  return byId.size === 1 && first?.ok === false ? ids.map(() => first) : undefined;
}

function parseAnswer(entry: unknown): { readonly id: unknown; readonly answer: RpcAnswer } | undefined {
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { id, result, error } = entry;
  if (error === undefined || error === null) {
    return 'result' in entry ? { id, answer: { ok: true, result } } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if (result !== undefined && result !== null) return undefined;
  const code = error['code'] as number;
  const revertData = parseRevertData(error['data']) ?? (code === REVERTED ? '0x' : undefined);
  const hint = revertData === undefined ? toHint(code, String(error['message'])) : undefined;
  return { id, answer: { ok: false, code, revertData, hint } };
}

/** The code of a reverted execution; what it reverted with may be missing. */
const REVERTED = 3;

/** Hex text, or an object that holds it. */
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
