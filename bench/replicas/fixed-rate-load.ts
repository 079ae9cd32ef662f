/**
 * Open-loop load at a fixed request rate, whatever the server's speed. A request is due at its time, waits for a free
 * connection if there is none, and its response is compared with the expected one. Uses plain sockets with one request at a
 * time on each and no allocation per request, because the load shares its machine with what it measures.
 */
import { connect, type Socket } from 'node:net';

export interface Call {
  /** A whole HTTP/1.1 request. */
  readonly bytes: string;
  /** Returns what is wrong with a response; undefined when it is correct. The body is valid only until the next response. */
  readonly judge: (status: number, body: Buffer) => string | undefined;
}

export interface LoadOptions {
  readonly port: number;
  readonly requestsPerSecond: number;
  readonly connections: number;
  /** Returns the request of that number; called when it is sent. */
  readonly next: (index: number) => Call;
  /** Called before each request is due, with the number of due requests so far. */
  readonly isOver: (due: number) => boolean;
}

export interface LoadReport {
  readonly responses: number;
  readonly seconds: number;
  /** Number of failures by kind. */
  readonly failures: ReadonlyMap<string, number>;
  /** Latency of successful requests, from the time at which they were due. */
  readonly milliseconds: { readonly p50: number; readonly p99: number; readonly p999: number; readonly max: number };
}

const TICK_MILLISECONDS = 1;
const TIMEOUT_MILLISECONDS = 15_000;
const CHECKING_MILLISECONDS = 250;
/** Size of the read buffer; longer responses arrive in parts. */
const READ_BYTES = 65_536;
const HEAD_END = Buffer.from('\r\n\r\n');

export function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { port, requestsPerSecond, next, isOver } = options;
  const startedAt = performance.now();
  const failures = new Map<string, number>();
  const latencies: number[] = [];
  const idle: Connection[] = [];
  let due = 0;
  let sent = 0;
  let settled = 0;
  let isStopping = false;

  return new Promise((resolve) => {
    const settle = (connection: Connection, status: number, body: Buffer) => {
      settled += 1;
      idle.push(connection);
      const { call, dueAt } = connection;
      const problem = status === 0 ? body.toString() : call!.judge(status, body);
      if (problem === undefined) latencies.push(performance.now() - dueAt);
      else fail(problem, call!);
    };
    const shared = Buffer.allocUnsafeSlow(READ_BYTES);
    const connections = Array.from({ length: options.connections }, () => new Connection(port, shared, settle));
    idle.push(...connections);
    const sending = setInterval(send, TICK_MILLISECONDS);
    const checking = setInterval(() => connections.forEach((each) => each.check()), CHECKING_MILLISECONDS);

    function send(): void {
      const dueNow = ((performance.now() - startedAt) * requestsPerSecond) / 1000;
      while (!isStopping && due < dueNow) {
        isStopping = isOver(due);
        if (!isStopping) due += 1;
      }
      while (sent < due && idle.length > 0) {
        idle.shift()!.send(next(sent), startedAt + (sent * 1000) / requestsPerSecond);
        sent += 1;
      }
      if (isStopping && settled === due) end();
    }

    function fail(what: string, { bytes }: Call): void {
      const key = `${bytes.slice(0, bytes.indexOf(' ', 8)).replace(/[A-Za-z0-9:]{20,}/, '…')}: ${what}`;
      failures.set(key, (failures.get(key) ?? 0) + 1);
    }

    function end(): void {
      clearInterval(sending);
      clearInterval(checking);
      for (const connection of connections) connection.close();
      const sorted = Float64Array.from(latencies).sort();
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
      resolve({
        responses: settled,
        seconds: (performance.now() - startedAt) / 1000,
        failures,
        milliseconds: { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) },
      });
    }
  });
}

/** Called with a response; status 0: none arrived, and `body` says why. */
type Settle = (connection: Connection, status: number, body: Buffer) => void;

/** Connection for one request after another; reopens after the server closes it. */
class Connection {
  readonly #port: number;
  /** Read buffer of all connections: its content is consumed at once, or copied. */
  readonly #shared: Buffer;
  readonly #settle: Settle;
  #socket: Socket | undefined;
  /** Parts of the response so far. */
  #parts: Buffer[] = [];
  #isPending = false;
  #sentAt = 0;
  call: Call | undefined;
  dueAt = 0;

  constructor(port: number, shared: Buffer, settle: Settle) {
    this.#port = port;
    this.#shared = shared;
    this.#settle = settle;
  }

  send(call: Call, dueAt: number): void {
    this.call = call;
    this.dueAt = dueAt;
    this.#isPending = true;
    this.#sentAt = performance.now();
    this.#socket ??= this.#open();
    this.#socket.write(call.bytes, 'latin1');
  }

  /** Fails a request that has timed out. */
  check(): void {
    if (this.#isPending && performance.now() - this.#sentAt > TIMEOUT_MILLISECONDS) this.#end('request timed out');
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const isCurrent = () => this.#socket === socket;
    const callback = (length: number) => {
      if (isCurrent()) this.#take(this.#shared.subarray(0, length));
      return true;
    };
    const onread = { buffer: this.#shared, callback };
    const socket: Socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, onread });
    socket.on('error', (error: NodeJS.ErrnoException) => isCurrent() && this.#end(error.code ?? 'error'));
    socket.on('close', () => isCurrent() && this.#end('closed'));
    return socket;
  }

  #take(bytes: Buffer): void {
    const received = this.#parts.length === 0 ? bytes : Buffer.concat([...this.#parts, bytes]);
    const headEnd = received.indexOf(HEAD_END);
    if (!this.#isPending) return;
    if (headEnd === -1) return this.#buffer(bytes);
    const head = received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN);
    if (Number.isNaN(length)) return this.#end('a response without a length');
    const bodyStart = headEnd + HEAD_END.length;
    if (received.length < bodyStart + length) return this.#buffer(bytes);
    if (/\r\nconnection: close/i.test(head)) this.#drop();
    this.#finish(Number(head.slice(9, 12)), received.subarray(bodyStart));
  }

  #buffer(bytes: Buffer): void {
    this.#parts.push(Buffer.from(bytes));
  }

  #end(reason: string): void {
    this.#drop();
    this.#finish(0, Buffer.from(reason));
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #finish(status: number, body: Buffer): void {
    if (this.#parts.length > 0) this.#parts = [];
    if (!this.#isPending) return;
    this.#isPending = false;
    this.#settle(this, status, body);
  }
}
