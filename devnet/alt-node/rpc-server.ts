/** JSON-RPC 2.0 server of the local alt chain over HTTP: single calls and batches, with the active faults. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { NodeFaults, RequestFault } from './node-faults.ts';
import type { RpcMethod } from './rpc-methods.ts';
import { RPC_ERROR, RpcErrorResponse } from './rpc-parameters.ts';

interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Limit of mainnet nodes. */
const MAX_BODY_BYTES = 50 * 1024;

/** Listens on the loopback interface; port 0 is any free port. */
export async function startRpcServer(
  methods: Readonly<Record<string, RpcMethod>>,
  faults: NodeFaults,
  port: number,
): Promise<Server> {
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      end(response, 405, 'Used HTTP Method is not allowed. POST is required');
      return;
    }
    const body = await readBody(request);
    if (body === undefined) {
      end(response, 413, 'Payload Too Large');
      return;
    }
    const payload = parseJson(body);
    const calls = (Array.isArray(payload) ? payload : [payload]).map(readCall);
    const fault = faults.request && firstFault(calls, faults.request);
    if (fault !== undefined && fault.kind !== 'rpc-error') {
      applyFault(response, fault);
      return;
    }
    const results = calls.map((call) => executeCall(call, fault));
    if (payload === undefined) endJson(response, failure(null, RPC_ERROR.parse, 'Parse error'));
    else if (!Array.isArray(payload)) endJson(response, results[0]);
    else if (results.length === 0) endJson(response, failure(null, RPC_ERROR.invalidRequest, 'Invalid request'));
    else endJson(response, results);
  }

  function executeCall(call: RpcCall | undefined, fault: RequestFault | undefined): object {
    if (call === undefined) return failure(null, RPC_ERROR.invalidRequest, 'Invalid request');
    if (fault?.kind === 'rpc-error') return failure(call.id, fault.code, fault.message);
    const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
    if (method === undefined) return failure(call.id, RPC_ERROR.methodNotFound, 'Method not found');
    try {
      return { jsonrpc: '2.0', id: call.id, result: method(call.params) };
    } catch (error) {
      if (error instanceof RpcErrorResponse) return failure(call.id, error.code, error.message, error.data);
      throw error;
    }
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes the server and all open connections. */
export async function stopRpcServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Reads the body; undefined: too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Parses JSON; undefined: malformed. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readCall(value: unknown): RpcCall | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, method, params } = value as Record<string, unknown>;
  if (typeof method !== 'string') return undefined;
  return { id: id ?? null, method, params: Array.isArray(params) ? (params as unknown[]) : [] };
}

function firstFault(
  calls: readonly (RpcCall | undefined)[],
  selectFault: NonNullable<NodeFaults['request']>,
): RequestFault | undefined {
  for (const call of calls) {
    const fault = call && selectFault(call.method, call.params);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function applyFault(response: ServerResponse, fault: Exclude<RequestFault, { kind: 'rpc-error' }>): void {
  switch (fault.kind) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'malformed-json':
      response.setHeader('content-type', 'application/json');
      return end(response, 200, '{"jsonrpc":"2.0","result":');
    case 'http-error':
      return end(response, fault.status, 'node error');
    case 'too-many-requests':
      if (fault.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(fault.retryAfterSeconds));
      return end(response, 429, 'Too many requests');
  }
}

function failure(id: unknown, code: number, message: string, data?: unknown): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function endJson(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json');
  end(response, 200, JSON.stringify(value));
}

function end(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.end(body);
}
