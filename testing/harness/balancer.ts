/**
 * What does a plain balancer make of replicas that come and go? It sends each request to the next of those it knows, keeps connections, asks nobody whether
 * they are ready, and tries another when a connection is refused or lost; a POST that may have been heard it does not send twice.
 */
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly port: number;
  /** Requests that were sent to a second replica. */
  readonly retried: number;
  close(): Promise<void>;
}

/** `origins` is asked for each request. */
export async function startBalancer(origins: () => readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  let retried = 0;

  function send(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, left: readonly string[]): void {
    const [origin, ...others] = left;
    const { method, url, headers } = incoming;
    const call = request(origin + url!, { method, headers: { ...headers, connection: 'keep-alive' }, agent });
    call.on('response', (answer) => {
      const { connection, ...kept } = answer.headers;
      void connection;
      outgoing.writeHead(answer.statusCode!, kept);
      answer.pipe(outgoing);
    });
    call.on('error', ({ code }: NodeJS.ErrnoException) => {
      const isUnheard = code === 'ECONNREFUSED' || method !== 'POST';
      if (others.length === 0 || !isUnheard) return void outgoing.writeHead(502, { 'content-length': 0 }).end();
      retried += 1;
      send(incoming, outgoing, body, others);
    });
    call.end(body);
  }

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const all = origins();
    const first = turn++ % all.length;
    send(incoming, outgoing, Buffer.concat(chunks), [...all.slice(first), ...all.slice(0, first)]);
  });
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
