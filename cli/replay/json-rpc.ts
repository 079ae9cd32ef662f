/**
 * How does the replay ask an EVM node? Plain JSON-RPC over the injected fetch: fail-over to the next URL when one does
 * not answer, patience when one says "slow down", and a refusal that the caller can react to.
 */
import { ReplayFailure } from './replay-failure.ts';

/** The node answered that it will not or cannot do this; `code` is the JSON-RPC one, or the HTTP status 413. */
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
  /** Tried in order, each call anew. */
  readonly urls: readonly string[];
  readonly fetch: typeof fetch;
  /** Between attempts after a rate limit. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

const ATTEMPTS_WHEN_LIMITED = 6;
const TIMEOUT_MILLISECONDS = 30_000;

/** A call answers the `result`, or throws RpcRefusal, or ReplayFailure `unreachable` when no URL answered. */
export function createRpc(options: RpcOptions): Rpc {
  return async (method, params) => {
    for (const url of options.urls) {
      const outcome = await askPatiently(options, url, method, params);
      if (outcome !== 'silent') return outcome.result;
    }
    throw new ReplayFailure('unreachable', `no node answered ${method}`);
  };
}

async function askPatiently(options: RpcOptions, url: string, method: string, params: readonly unknown[]) {
  for (let attempt = 0; attempt < ATTEMPTS_WHEN_LIMITED; attempt += 1) {
    const outcome = await askOnce(options.fetch, url, method, params);
    if (outcome !== 'limited') return outcome;
    await options.wait(1000 * 2 ** attempt);
  }
  return 'silent';
}

type Outcome = 'silent' | 'limited' | { readonly result: unknown };

async function askOnce(send: typeof fetch, url: string, method: string, params: readonly unknown[]): Promise<Outcome> {
  let status: number;
  let text: string;
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    status = response.status;
    text = await response.text();
  } catch {
    return 'silent';
  }
  // A rate limit is tested first: some nodes use one code for it and for too wide a range.
  if (status === 429) return 'limited';
  const answer = parseAnswer(text);
  if (answer?.error !== undefined) {
    if (answer.error.code === -32029) return 'limited';
    throw new RpcRefusal(method, answer.error.code);
  }
  if (status === 413) throw new RpcRefusal(method, 413);
  if (status !== 200 || answer === undefined) return 'silent';
  return { result: answer.result };
}

interface Answer {
  readonly result: unknown;
  readonly error?: { readonly code: number };
}

/** Undefined when the text is no JSON-RPC answer. */
function parseAnswer(text: string): Answer | undefined {
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
