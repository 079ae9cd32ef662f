/**
 * Round-robin load balancer without health checks. It reuses connections and sends a request to the next replica when a connection is refused or
 * lost, except a POST that a replica may have received.
 */
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly port: number;
  /** Number of requests that were sent to a second replica. */
  readonly retried: number;
  close(): Promise<void>;
}

/** Starts a balancer; `origins` is called for each request. */
export async function startBalancer(origins: () => readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  let retried = 0;

  function send(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, left: readonly string[]): void {
    const [origin, ...others] = left;
    const { method, url, headers } = incoming;
    const call = request(origin! + url!, { method, headers: { ...headers, connection: 'keep-alive' }, agent });
    call.on('response', (response) => {
      const { connection, ...forwarded } = response.headers;
      outgoing.writeHead(response.statusCode!, forwarded);
      response.pipe(outgoing);
    });
    call.on('error', ({ code }: NodeJS.ErrnoException) => {
      const isRepeatable = code === 'ECONNREFUSED' || method !== 'POST';
      if (others.length === 0 || !isRepeatable) return void outgoing.writeHead(502, { 'content-length': 0 }).end();
      retried += 1;
      send(incoming, outgoing, body, others);
    });
    call.end(body);
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const all = origins();
    const first = next++ % all.length;
    send(incoming, outgoing, Buffer.concat(chunks), [...all.slice(first), ...all.slice(0, first)]);
  }

  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get retried() {
      return retried;
    },
    async close() {
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
