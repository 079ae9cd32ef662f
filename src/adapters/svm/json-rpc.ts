/**
 * How is one JSON-RPC call sent to one node, and when is its answer believed?
 * Strict in what it accepts: the id that was sent, a result or an error, the whole body within a size. Integers beyond what a
 * JSON number holds exactly (`rentEpoch`) stand only in members that nothing reads. No text of a node, and no URL (it may hold
 * a key), leaves this file: only codes and fixed words do.
 */
import { request as httpRequest, type Dispatcher } from 'undici';
import type { UnreadableCause } from '../../domain/faults.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * What to do about a failure. `failed`: leave the node alone for a while; `busy`: the node asks to wait; `behind`: it has not the
 * slot yet; `no-block`: it has not the block; `refused`: another node may answer, this one is sound.
 */
export type FailureKind = 'failed' | 'busy' | 'behind' | 'no-block' | 'refused';

/** No usable answer of one node. */
export class RpcFailure extends Error {
  readonly unreadable: UnreadableCause;
  readonly kind: FailureKind;
  /** The code of a JSON-RPC error. */
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

/** One node, its URL taken apart. */
export interface RpcNode {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes credentials out of the URL and into a header. Throws without naming the URL. */
export function parseRpcUrl(url: string): RpcNode {
  const parsed = URL.parse(url);
  if (parsed === null) throw new TypeError('an RPC URL cannot be parsed');
  const { origin, pathname, search, username, password } = parsed;
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (username !== '' || password !== '') {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return { origin, path: pathname + search, headers };
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** Undefined: longer than allowed. */
  readonly body: string | undefined;
}

export interface PostOptions {
  readonly signal: AbortSignal;
  readonly maxResponseBytes: number;
}

/** One HTTP exchange with a node. Throws when there was no whole answer. */
export type PostRpc = (node: RpcNode, body: string, options: PostOptions) => Promise<HttpAnswer>;

export interface SendOptions extends PostOptions {
  readonly post: PostRpc;
}

let lastId = 0;

/** The result of the call. Throws `RpcFailure`. */
export async function sendRpc(node: RpcNode, call: RpcCall, options: SendOptions): Promise<unknown> {
  const id = ++lastId;
  const { method, params } = call;
  const response = await post(node, JSON.stringify({ jsonrpc: '2.0', id, method, params }), options);
  const { status, retryAfterSeconds, body } = response;
  if (status === 429) throw new RpcFailure('transport', 'busy', { retryAfterSeconds });
  const isHttpSuccess = status >= 200 && status < 300;
  const answer = body === undefined ? undefined : parseAnswer(body, id);
  if (answer?.code !== undefined) throw toFailure(answer.code, retryAfterSeconds);
  if (!isHttpSuccess) throw new RpcFailure('transport', status >= 500 ? 'busy' : 'failed', { retryAfterSeconds });
  if (answer === undefined) throw new RpcFailure('malformed');
  return answer.result;
}

/** Codes that pass with time (chain-svm 8). */
const NODE_BEHIND = -32005;
const SLOT_NOT_REACHED = -32016;
const NO_BLOCK: readonly number[] = [-32004, -32007, -32009, -32014];

function toFailure(code: number, retryAfterSeconds: number | undefined): RpcFailure {
  if (code === NODE_BEHIND || code === 429) return new RpcFailure('rpc-error', 'busy', { code, retryAfterSeconds });
  if (code === SLOT_NOT_REACHED) return new RpcFailure('rpc-error', 'behind', { code, retryAfterSeconds });
  return new RpcFailure('rpc-error', NO_BLOCK.includes(code) ? 'no-block' : 'refused', { code });
}

async function post(node: RpcNode, body: string, options: SendOptions): Promise<HttpAnswer> {
  try {
    return await options.post(node, body, options);
  } catch (error) {
    if (options.signal.aborted) throw new RpcFailure('deadline');
    // A node may close a kept-alive connection while a request is on its way; every call here can be repeated.
    if (!isConnectionLost(error)) throw new RpcFailure('transport');
  }
  try {
    return await options.post(node, body, options);
  } catch {
    throw new RpcFailure(options.signal.aborted ? 'deadline' : 'transport');
  }
}

/** Posts over HTTP, with the connections of the dispatcher. */
export function createHttpPost(dispatcher: Dispatcher): PostRpc {
  return async (node, body, { signal, maxResponseBytes }) => {
    const { origin, path, headers } = node;
    const response = await httpRequest(origin + path, { method: 'POST', headers, body, dispatcher, signal });
    const retryAfterSeconds = parseRetryAfter(response.headers['retry-after']);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxResponseBytes) {
        response.body.destroy();
        return { status: response.statusCode, retryAfterSeconds, body: undefined };
      }
      chunks.push(chunk);
    }
    return { status: response.statusCode, retryAfterSeconds, body: Buffer.concat(chunks, bytes).toString('utf8') };
  };
}

function isConnectionLost(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function parseRetryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

/** Undefined: it is no answer to the call. A node that could not read the call cannot name its id in the error. */
function parseAnswer(
  body: string,
  sentId: number,
): { readonly code?: undefined; readonly result: unknown } | { readonly code: number } | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { id, result, error } = entry;
  if (error === undefined || error === null) {
    return id === sentId && 'result' in entry ? { result } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if ((id !== sentId && id !== null) || (result !== undefined && result !== null)) return undefined;
  return { code: error['code'] as number };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
