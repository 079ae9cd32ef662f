/**
 * Pipelining HTTP client for load and simulation: a connection carries many requests at once, and responses are parsed strictly: one head, no
 * repeated header, a body of the declared length. A connection that closes with a pending request is an error.
 */
import { connect, type Socket } from 'node:net';

export interface PipelinedRequest {
  readonly method: string;
  /** As sent: percent-encoded, ASCII. */
  readonly path: string;
  /** Values are sent as latin1. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface PipelinedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Waiting {
  readonly request: PipelinedRequest;
  readonly resolve: (response: PipelinedResponse) => void;
  readonly reject: (cause: Error) => void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/** One connection, opened again after the service announced that it closes the old one. */
export class PipelinedCaller {
  readonly #port: number;
  readonly #depth: number;
  #socket: Socket | undefined;
  #unsent: Waiting[] = [];
  #pending: Waiting[] = [];
  #isFlushing = false;
  /** The first violation of the protocol by the service. */
  #broken: Error | undefined;
  #received: Buffer = NOTHING;

  /** At most `depth` requests are pending on the connection. Requests with a body are sent alone, because the service may close after them. */
  constructor(port: number, depth: number) {
    this.#port = port;
    this.#depth = depth;
  }

  send(request: PipelinedRequest): Promise<PipelinedResponse> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#unsent.push({ request, resolve, reject });
      this.#flushSoon();
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  /** Flushes after the current tick, so that all requests of the tick are sent in one write. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const socket = (this.#socket ??= this.#open());
    let text = '';
    while (this.#unsent.length > 0 && this.#pending.length < this.#depth && !isAlone(this.#pending.at(-1))) {
      if (isAlone(this.#unsent[0]) && this.#pending.length > 0) break;
      const waiting = this.#unsent.shift()!;
      this.#pending.push(waiting);
      text += formatRequest(waiting.request);
    }
    if (text !== '') socket.write(text, 'latin1');
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    socket.setNoDelay(true);
    this.#received = NOTHING;
    let reason = 'closed';
    socket.on('error', (error) => (reason = error.message));
    socket.on('data', (chunk) => {
      if (socket !== this.#socket) return;
      try {
        this.#read(chunk);
      } catch (error) {
        this.#broken = error as Error;
        socket.destroy(error as Error);
      }
    });
    socket.on('close', () => {
      if (socket !== this.#socket) return;
      this.#socket = undefined;
      this.#fail(`no response: ${reason}`);
    });
    return socket;
  }

  #fail(message: string): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { reject } of pending) reject(new Error(message));
    if (this.#unsent.length > 0) this.#flushSoon();
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    let offset = 0;
    for (;;) {
      const end = this.#received.indexOf(HEAD_END, offset);
      if (end === -1) break;
      const waiting = this.#pending[0];
      if (waiting === undefined) throw new Error('a response without a request');
      const { status, headers } = parseHead(this.#received.toString('latin1', offset, end));
      const begin = end + HEAD_END.length;
      const hasBody = waiting.request.method !== 'HEAD' && status !== 204 && status !== 304;
      const length = hasBody ? readLength(headers) : 0;
      if (this.#received.length < begin + length) break;
      offset = begin + length;
      this.#pending.shift();
      waiting.resolve({ status, headers, body: this.#received.subarray(begin, offset) });
      if (headers['connection'] === 'close') {
        this.#reconnect();
        return;
      }
    }
    this.#received = this.#received.subarray(offset);
    this.#flushSoon();
  }

  /** Sends the pending requests on a new connection, because the service reads no more of this one. */
  #reconnect(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#unsent = [...this.#pending, ...this.#unsent];
    this.#pending = [];
    this.#flushSoon();
  }
}

function isAlone(waiting: Waiting | undefined): boolean {
  return waiting?.request.body !== undefined && waiting.request.body.length > 0;
}

function formatRequest({ method, path, headers, body }: PipelinedRequest): string {
  let text = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`;
  if (method !== 'GET' && method !== 'HEAD') text += `content-length: ${body?.length ?? 0}\r\n`;
  return `${text}\r\n${body?.toString('latin1') ?? ''}`;
}

function parseHead(head: string): Pick<PipelinedResponse, 'status' | 'headers'> {
  const [statusLine, ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine!)?.[1];
  if (status === undefined) throw new Error(`no status line: ${statusLine}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name in headers) throw new Error(`header ${name} twice`);
    headers[name] = line.slice(colon + 1).trim();
  }
  return { status: Number(status), headers };
}

function readLength(headers: PipelinedResponse['headers']): number {
  const length = headers['content-length'];
  if (length === undefined || 'transfer-encoding' in headers) throw new Error('a body of no declared length');
  return Number(length);
}
