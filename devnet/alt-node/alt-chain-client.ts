/** What does the local alt chain say when asked over HTTP? Test support: results as they are, errors as values. */
import type { AltNode } from './alt-node.ts';

export interface RpcCallError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The result of one call. Throws when there is none. */
export async function callRpc<T>(node: AltNode, method: string, ...params: unknown[]): Promise<T> {
  const { error, result } = (await post(node, { jsonrpc: '2.0', id: 1, method, params })) as {
    error?: RpcCallError;
    result?: T;
  };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
}

/** The error of one call. Throws when there is none. */
export async function callRpcError(node: AltNode, method: string, ...params: unknown[]): Promise<RpcCallError> {
  const { error } = (await post(node, { jsonrpc: '2.0', id: 1, method, params })) as { error?: RpcCallError };
  if (error === undefined) throw new Error(`${method} gave no error`);
  return error;
}

/** The answer to any body. */
export async function post(node: AltNode, body: unknown): Promise<unknown> {
  return (await send(node, JSON.stringify(body))).json();
}

export async function send(node: AltNode, body: string, signal?: AbortSignal): Promise<Response> {
  return fetch(node.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}
