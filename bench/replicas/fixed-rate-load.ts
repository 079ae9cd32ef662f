/**
 * What becomes of every request when so many come each second, whatever the server does? An open load: a request is due at its time, waits for a free
 * connection if there is none, and its answer is held against what was expected. Plain sockets, one request at a time on each, because the load shares its
 * machine with what it measures.
 */
import { connect, type Socket } from 'node:net';

export interface Call {
  /** A whole HTTP/1.1 request. */
  readonly bytes: string;
  /** What is wrong with an answer; undefined: nothing. */
  readonly judge: (status: number, body: string) => string | undefined;
}

export interface LoadOptions {
  readonly port: number;
  readonly requestsPerSecond: number;
  readonly connections: number;
  readonly next: (index: number) => Call;
  /** Asked before each request, with how many were sent. */
  readonly isOver: (sent: number) => boolean;
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

interface Due {
  readonly call: Call;
  readonly dueAt: number;
}

export function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { port, requestsPerSecond, next, isOver } = options;
  const startedAt = performance.now();
  const failures = new Map<string, number>();
  const latencies: number[] = [];
  const waiting: Due[] = [];
  const idle: Connection[] = [];
  let sent = 0;
  let settled = 0;
  let isEnding = false;

  return new Promise((resolve) => {
    for (let count = 0; count < options.connections; count++) idle.push(new Connection(port));
    const timer = setInterval(send, TICK_MILLISECONDS);

    function send(): void {
      const due = ((performance.now() - startedAt) * requestsPerSecond) / 1000;
      while (!isEnding && sent < due) {
        isEnding = isOver(sent);
        if (isEnding) break;
        waiting.push({ call: next(sent), dueAt: startedAt + (sent * 1000) / requestsPerSecond });
        sent += 1;
      }
      while (waiting.length > 0 && idle.length > 0) start(idle.shift()!, waiting.shift()!);
      if (isEnding && settled === sent) end();
    }

    function start(connection: Connection, { call, dueAt }: Due): void {
      connection.ask(call.bytes, (status, body) => {
        settled += 1;
        idle.push(connection);
        const problem = status === 0 ? body : call.judge(status, body);
        if (problem === undefined) latencies.push(performance.now() - dueAt);
        else fail(problem, call);
      });
    }

    function fail(what: string, { bytes }: Call): void {
      const key = `${bytes.slice(0, bytes.indexOf(' ', 8)).replace(/[A-Za-z0-9:]{20,}/, '…')}: ${what}`;
      failures.set(key, (failures.get(key) ?? 0) + 1);
    }

    function end(): void {
      clearInterval(timer);
      for (const connection of idle) connection.close();
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

type Settle = (status: number, body: string) => void;

/** One request after another; opens itself again when the other side has ended it. */
class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = '';
  #settle: Settle | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Status 0: no answer, and `body` says why. */
  ask(bytes: string, settle: Settle): void {
    this.#settle = settle;
    this.#received = '';
    this.#timer = setTimeout(() => this.#end('no answer in time'), PATIENCE_MILLISECONDS);
    this.#socket ??= this.#open();
    this.#socket.write(bytes, 'latin1');
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    const isCurrent = () => this.#socket === socket;
    socket.on('data', (text: string) => isCurrent() && this.#take(text));
    socket.on('error', (error: NodeJS.ErrnoException) => isCurrent() && this.#end(error.code ?? 'error'));
    socket.on('close', () => isCurrent() && this.#end('closed'));
    return socket;
  }

  #take(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1 || this.#settle === undefined) return;
    const head = this.#received.slice(0, headEnd).toLowerCase();
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? NaN);
    if (Number.isNaN(length)) return this.#end('an answer without a length');
    if (this.#received.length < headEnd + 4 + length) return;
    if (head.includes('\r\nconnection: close')) this.#drop();
    const body = Buffer.from(this.#received.slice(headEnd + 4), 'latin1').toString();
    this.#answer(Number(head.slice(9, 12)), body);
  }

  #end(reason: string): void {
    this.#drop();
    this.#answer(0, reason);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #answer(status: number, body: string): void {
    const settle = this.#settle;
    this.#settle = undefined;
    clearTimeout(this.#timer);
    settle?.(status, body);
  }
}
