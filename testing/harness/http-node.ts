/**
 * JSON-RPC server whose HTTP responses a test writes: status, headers and body, for imitations of providers that refuse
 * requests in ways that are not JSON-RPC.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpNodeCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface HttpNodeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or a value to be sent as JSON; `cut` resets the connection instead. */
  readonly body: unknown;
}

export interface HttpNode {
  readonly url: string;
  /** Calls of each HTTP request in order; a request of one call may be a batch of one. */
  readonly requests: HttpNodeCall[][];
  respond: (calls: readonly HttpNodeCall[], isBatch: boolean) => HttpNodeResponse;
  close(): Promise<void>;
}

export const CUT = Symbol('cut');

export async function startHttpNode(respond: HttpNode['respond']): Promise<HttpNode> {
  const requests: HttpNodeCall[][] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const parsed = JSON.parse(Buffer.concat(chunks).toString()) as HttpNodeCall | HttpNodeCall[];
      const calls = [parsed].flat();
      requests.push(calls);
      const { status = 200, headers = {}, body } = node.respond(calls, Array.isArray(parsed));
      if (body === CUT) request.socket.destroy();
      else response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node: HttpNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respond,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return node;
}

export function toResult(call: HttpNodeCall, result: unknown): object {
  return { jsonrpc: '2.0', id: call.id, result };
}

export function toError(id: number | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
