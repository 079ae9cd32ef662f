/** Proxy that forwards and counts the requests to a node. It is slower than the node, so nothing is timed through it. */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CountingProxy {
  readonly url: string;
  readonly requests: number;
  /** Number of calls in all requests; a batch has several. */
  readonly calls: number;
  /** Bytes of all request and response bodies. */
  readonly bytes: number;
  /** Returns the number of requests by the methods inside them. */
  counts(): ReadonlyMap<string, number>;
  reset(): void;
  close(): Promise<void>;
}

export async function startCountingProxy(upstream: string): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true });
  let requests = 0;
  let calls = 0;
  let bytes = 0;
  let byMethods = new Map<string, number>();

  function note(chunks: readonly Buffer[]): void {
    const body = Buffer.concat(chunks).toString('latin1');
    const found = [...body.matchAll(/"method":"(\w+)"/g)];
    calls += found.length;
    bytes += body.length;
    const methods = [...new Set(found.map(([, method]) => method!))].join(' + ');
    byMethods.set(methods, (byMethods.get(methods) ?? 0) + 1);
  }

  const server = createServer((incoming, response) => {
    requests += 1;
    const { method, headers } = incoming;
    const forwarded = request(upstream, { agent, method, headers }, (got) => {
      response.writeHead(got.statusCode!, got.headers);
      got.on('data', (chunk: Buffer) => (bytes += chunk.length));
      got.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => note(chunks));
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    get calls() {
      return calls;
    },
    get bytes() {
      return bytes;
    },
    counts: () => byMethods,
    reset() {
      [requests, calls, bytes] = [0, 0, 0];
      byMethods = new Map();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await once(server, 'close');
    },
  };
}
