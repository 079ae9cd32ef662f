/**
 * Pipelined POST client: concurrent requests over few open connections at minimal cost. Every request is written at once, and none waits for the
 * response to the one before it.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface PostResponse {
  readonly status: number;
  /** Status line and header fields as received. */
  readonly head: string;
  readonly text: string;
}

export interface PipelinedPosts {
  /** Posts over the connection with this number, modulo their count. Resolves with undefined without a complete response. */
  post(connection: number, path: string, body: string | Uint8Array): Promise<PostResponse | undefined>;
  /** Closes all connections, because the server stores received bytes as long as the caller is connected. */
  disconnect(): void;
}

interface Connection {
  readonly socket: Socket;
  readonly waiting: ((response: PostResponse | undefined) => void)[];
  received: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

export async function openPipelinedPosts(url: string, token: string, connections: number): Promise<PipelinedPosts> {
  const { port, host } = new URL(url);
  const open = Array.from({ length: connections }, () => openConnection(Number(port)));
  await Promise.all(open.map(({ socket }) => once(socket, 'connect')));
  return {
    post(number, path, body) {
      const at = number % connections;
      if (!open[at]!.socket.writable) open[at] = openConnection(Number(port));
      const { socket, waiting } = open[at]!;
      const head = [
        `POST ${path} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      ].join('\r\n');
      socket.cork();
      socket.write(`${head}\r\n\r\n`);
      socket.write(body);
      process.nextTick(() => socket.uncork());
      return new Promise((resolve) => waiting.push(resolve));
    },
    disconnect: () => open.forEach(({ socket }) => socket.destroy()),
  };
}

/** Opens a connection; bytes written before it is established are queued. */
function openConnection(port: number): Connection {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  const connection: Connection = { socket, waiting: [], received: Buffer.alloc(0) };
  socket.on('data', (chunk) => receive(connection, chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => connection.waiting.splice(0).forEach((resolve) => resolve(undefined)));
  return connection;
}

/** Parses the received responses, each of which has a length. */
function receive(connection: Connection, chunk: Buffer): void {
  let rest = connection.received.length === 0 ? chunk : Buffer.concat([connection.received, chunk]);
  for (let headEnd = rest.indexOf(HEAD_END); headEnd !== -1; headEnd = rest.indexOf(HEAD_END)) {
    const head = rest.toString('latin1', 0, headEnd);
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(/^content-length: (\d+)$/im.exec(head)![1]);
    if (rest.length < bodyEnd) break;
    const response = { status: Number(head.slice(9, 12)), head, text: rest.toString('utf8', bodyStart, bodyEnd) };
    connection.waiting.shift()!(response);
    rest = rest.subarray(bodyEnd);
  }
  connection.received = rest;
}
