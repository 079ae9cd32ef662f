/**
 * What becomes of every request when so many come each second, whatever the server does? An open load: a request is due at its time, waits for a free
 * connection if there is none, and its answer is held against what was expected. Plain sockets, one request at a time on each, and nothing that is made
 * anew for each, because the load shares its machine with what it measures.
 */
import { connect, type Socket } from 'node:net';

export interface Call {
  /** A whole HTTP/1.1 request. */
  readonly bytes: string;
  /** What is wrong with an answer; undefined: nothing. The body is read before the next answer comes, or copied. */
  readonly judge: (status: number, body: Buffer) => string | undefined;
}

export interface LoadOptions {
  readonly port: number;
  readonly requestsPerSecond: number;
  readonly connections: number;
  /** The request of that number, when it is sent. */
  readonly next: (index: number) => Call;
  /** Asked before each request falls due, with how many did. */
  readonly isOver: (due: number) => boolean;
}

export interface LoadReport {
  readonly answered: number;
  readonly seconds: number;
  /** What went wrong, and how often. */
  readonly failures: ReadonlyMap<string, number>;
  /** From the time at which a request was due, of those that were answered. */
  readonly milliseconds: { readonly p50: number; readonly p99: number; readonly p999: number; readonly max: number };
}

const TICK_MILLISECONDS = 1;
const PATIENCE_MILLISECONDS = 15_000;
const CHECKING_MILLISECONDS = 250;
/** Longer answers come in parts. */
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
  let isEnding = false;

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
      while (!isEnding && due < dueNow) {
        isEnding = isOver(due);
        if (!isEnding) due += 1;
      }
      while (sent < due && idle.length > 0) {
        idle.shift()!.ask(next(sent), startedAt + (sent * 1000) / requestsPerSecond);
        sent += 1;
      }
      if (isEnding && settled === due) end();
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
        answered: settled,
        seconds: (performance.now() - startedAt) / 1000,
        failures,
        milliseconds: { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) },
      });
    }
  });
}

/** Status 0: no answer, and `body` says why. */
type Settle = (connection: Connection, status: number, body: Buffer) => void;

/** One request after another; opens itself again when the other side has ended it. */
class Connection {
  readonly #port: number;
  /** Of all connections: what is read is used up at once, or copied. */
  readonly #shared: Buffer;
  readonly #settle: Settle;
  #socket: Socket | undefined;
  /** The parts of an answer so far. */
  #parts: Buffer[] = [];
  #isAsking = false;
  #askedAt = 0;
  call: Call | undefined;
  dueAt = 0;

  constructor(port: number, shared: Buffer, settle: Settle) {
    this.#port = port;
    this.#shared = shared;
    this.#settle = settle;
  }

  ask(call: Call, dueAt: number): void {
    this.call = call;
    this.dueAt = dueAt;
    this.#isAsking = true;
    this.#askedAt = performance.now();
    this.#socket ??= this.#open();
    this.#socket.write(call.bytes, 'latin1');
  }

  /** Gives up on an answer that does not come. */
  check(): void {
    if (this.#isAsking && performance.now() - this.#askedAt > PATIENCE_MILLISECONDS) this.#end('no answer in time');
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
    if (!this.#isAsking) return;
    if (headEnd === -1) return this.#keep(bytes);
    const head = received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN);
    if (Number.isNaN(length)) return this.#end('an answer without a length');
    const bodyStart = headEnd + HEAD_END.length;
    if (received.length < bodyStart + length) return this.#keep(bytes);
    if (/\r\nconnection: close/i.test(head)) this.#drop();
    this.#answer(Number(head.slice(9, 12)), received.subarray(bodyStart));
  }

  #keep(bytes: Buffer): void {
    this.#parts.push(Buffer.from(bytes));
  }

  #end(reason: string): void {
    this.#drop();
    this.#answer(0, Buffer.from(reason));
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #answer(status: number, body: Buffer): void {
    if (this.#parts.length > 0) this.#parts = [];
    if (!this.#isAsking) return;
    this.#isAsking = false;
    this.#settle(this, status, body);
  }
}
