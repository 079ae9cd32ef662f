/** JSON-RPC client for tests of the local alt chain: returns results unchanged and errors as values. */
import type { AltNode } from './alt-node.ts';

export interface RpcCallError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns the result of one call. Throws on an error response. */
export async function callRpc<T>(node: AltNode, method: string, ...params: unknown[]): Promise<T> {
  const { error, result } = (await post(node, { jsonrpc: '2.0', id: 1, method, params })) as {
    error?: RpcCallError;
    result?: T;
  };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
}

/** Returns the error of one call. Throws on a result. */
export async function callRpcError(node: AltNode, method: string, ...params: unknown[]): Promise<RpcCallError> {
  const { error } = (await post(node, { jsonrpc: '2.0', id: 1, method, params })) as { error?: RpcCallError };
  if (error === undefined) throw new Error(`${method} returned no error`);
  return error;
}

/** Posts any JSON body and returns the parsed response. */
export async function post(node: AltNode, body: unknown): Promise<unknown> {
  return (await send(node, JSON.stringify(body))).json();
}

/** Posts raw text. */
export async function send(node: AltNode, body: string, signal?: AbortSignal): Promise<Response> {
  return fetch(node.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}
