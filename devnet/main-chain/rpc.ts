/** JSON-RPC client of the devnet. It sends batches, because seeding makes thousands of small requests. */

export interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

export interface Rpc {
  request<T>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Returns the results in call order; throws the first error. */
  batch<T>(calls: readonly RpcCall[]): Promise<T[]>;
}

/** Error response of a node; `data` is the revert data, if any. */
export class RpcError extends Error {
  readonly data: unknown;

  constructor(method: string, message: string, data: unknown) {
    super(`${method}: ${message}`);
    this.data = data;
  }
}

interface RpcResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: unknown };
}

/** Larger batches are split, to limit the body size. */
const LARGEST_BATCH = 500;

export function createRpc(url: string): Rpc {
  async function post(calls: readonly RpcCall[]): Promise<unknown[]> {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, method: call.method, params: call.params ?? [] }));
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const responses = (await response.json()) as RpcResponse[];
    const results = new Array<unknown>(calls.length);
    for (const { id, error, result } of responses) {
      if (error !== undefined) throw new RpcError(calls[id]!.method, error.message, error.data);
      results[id] = result;
    }
    return results;
  }

  return {
    async request<T>(method: string, params: readonly unknown[] = []) {
      const [result] = await post([{ method, params }]);
      return result as T;
    },
    async batch<T>(calls: readonly RpcCall[]) {
      const results: unknown[] = [];
      for (let from = 0; from < calls.length; from += LARGEST_BATCH) {
        results.push(...(await post(calls.slice(from, from + LARGEST_BATCH))));
      }
      return results as T[];
    },
  };
}
