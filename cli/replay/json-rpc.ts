/**
 * JSON-RPC client of the replay, over an injected fetch: fails over to the next URL when a node does not respond, backs off on a rate
 * limit, and reports a refusal as `RpcRefusal`.
 */
import { ReplayFailure } from './replay-failure.ts';

/** The node returned an error; `code` is that of JSON-RPC, or the HTTP status 413. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
  readonly code: number;

  constructor(method: string, code: number) {
    super(`the node refused ${method} (${code})`);
    this.code = code;
  }
}

export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

export interface RpcOptions {
  /** Tried in order, for each call from the first. */
  readonly urls: readonly string[];
  readonly fetch: typeof fetch;
  /** Waits between attempts after a rate limit. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

const ATTEMPTS_WHEN_LIMITED = 6;
const TIMEOUT_MILLISECONDS = 30_000;

/** Creates a client. A call returns the `result`; it throws `RpcRefusal`, or `ReplayFailure` `unreachable` when no node responds. */
export function createRpc(options: RpcOptions): Rpc {
  return async (method, params) => {
    for (const url of options.urls) {
      const outcome = await callWithRetry(options, url, method, params);
      if (outcome !== 'silent') return outcome.result;
    }
    throw new ReplayFailure('unreachable', `no node responded to ${method}`);
  };
}

async function callWithRetry(options: RpcOptions, url: string, method: string, params: readonly unknown[]) {
  for (let attempt = 0; attempt < ATTEMPTS_WHEN_LIMITED; attempt += 1) {
    const outcome = await callOnce(options.fetch, url, method, params);
    if (outcome !== 'limited') return outcome;
    await options.wait(1000 * 2 ** attempt);
  }
  return 'silent';
}

type Outcome = 'silent' | 'limited' | { readonly result: unknown };

async function callOnce(send: typeof fetch, url: string, method: string, params: readonly unknown[]): Promise<Outcome> {
  let status: number;
  let text: string;
  try {
    const reply = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    status = reply.status;
    text = await reply.text();
  } catch {
    return 'silent';
  }
  // Checks the rate limit first: some nodes use one code for it and for a range that is too wide.
  if (status === 429) return 'limited';
  const response = parseResponse(text);
  if (response?.error !== undefined) {
    if (response.error.code === -32029) return 'limited';
    throw new RpcRefusal(method, response.error.code);
  }
  if (status === 413) throw new RpcRefusal(method, 413);
  if (status !== 200 || response === undefined) return 'silent';
  return { result: response.result };
}

interface RpcResponse {
  readonly result: unknown;
  readonly error?: { readonly code: number };
}

/** Returns undefined when the text is not a JSON-RPC response. */
function parseResponse(text: string): RpcResponse | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  if ('error' in json && typeof json.error === 'object' && json.error !== null) {
    const code = 'code' in json.error && typeof json.error.code === 'number' ? json.error.code : 0;
    return { result: undefined, error: { code } };
  }
  return 'result' in json ? { result: json.result } : undefined;
}
