/**
 * How is one process asked millions of things at little cost? Connections that carry many requests at once, each answer read strictly: one
 * head, no header twice, a body as long as was said. A connection that ends without the answer that was due is an error.
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
  readonly resolve: (answer: PipelinedResponse) => void;
  readonly reject: (cause: Error) => void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/** One connection, opened anew when the service has said that it closes the old one. */
export class PipelinedCaller {
  readonly #port: number;
  readonly #depth: number;
  #socket: Socket | undefined;
  #unsent: Waiting[] = [];
  #due: Waiting[] = [];
  #isFlushing = false;
  /** What was received that no service may send. */
  #broken: Error | undefined;
  #received: Buffer = NOTHING;

  /** At most `depth` requests wait for answers on the connection; those with a body go alone, as the service may close on them. */
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

  /** Once all that is asked at this moment is known, so that it goes in one write. */
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
    while (this.#unsent.length > 0 && this.#due.length < this.#depth && !isAlone(this.#due.at(-1))) {
      if (isAlone(this.#unsent[0]) && this.#due.length > 0) break;
      const waiting = this.#unsent.shift()!;
      this.#due.push(waiting);
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
      this.#fail(`no answer: ${reason}`);
    });
    return socket;
  }

  #fail(message: string): void {
    const due = this.#due;
    this.#due = [];
    for (const { reject } of due) reject(new Error(message));
    if (this.#unsent.length > 0) this.#flushSoon();
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    let offset = 0;
    for (;;) {
      const end = this.#received.indexOf(HEAD_END, offset);
      if (end === -1) break;
      const waiting = this.#due[0];
      if (waiting === undefined) throw new Error('an answer to nothing');
      const { status, headers } = parseHead(this.#received.toString('latin1', offset, end));
      const begin = end + HEAD_END.length;
      const hasBody = waiting.request.method !== 'HEAD' && status !== 204 && status !== 304;
      const length = hasBody ? readLength(headers) : 0;
      if (this.#received.length < begin + length) break;
      offset = begin + length;
      this.#due.shift();
      waiting.resolve({ status, headers, body: this.#received.subarray(begin, offset) });
      if (headers['connection'] === 'close') {
        this.#moveOn();
        return;
      }
    }
    this.#received = this.#received.subarray(offset);
    this.#flushSoon();
  }

  /** The service will read no more of this connection: what it had not answered is asked on the next. */
  #moveOn(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#unsent = [...this.#due, ...this.#unsent];
    this.#due = [];
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
