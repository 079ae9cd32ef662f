/** Replica of the service as a separate `svc serve` process, with access to its metrics, log and signals. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';
import { SVC } from './run-svc.ts';

export interface Replica {
  readonly url: string;
  /** Returns the value of a metric sample, or undefined when it is absent. */
  read(sample: string): Promise<number | undefined>;
  /** Resolves when a metric sample has the value. */
  until(sample: string, value: number): Promise<void>;
  /** All log lines so far. */
  readonly lines: readonly string[];
  /** Returns the first matching log line as soon as there is one. */
  untilLine(pattern: RegExp): Promise<string>;
  signal(signal: 'SIGTERM' | 'SIGHUP'): void;
  /** Resolves with the exit code when the process has ended. */
  readonly ended: Promise<number | null>;
  kill(): Promise<void>;
}

const POLL_MILLISECONDS = 50;

export interface ReplicaOptions {
  /** Port; 0 or absent means any free one. */
  readonly port?: number;
  /** Entry file; absent means `bin/svc`. */
  readonly entry?: string;
}

export async function startReplica(
  variables: Readonly<Record<string, string>>,
  { port = 0, entry = SVC }: ReplicaOptions = {},
): Promise<Replica> {
  const adminPort = await findFreePort();
  const own = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  const child = spawn(process.execPath, [entry, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', RATE_LIMITS: 'off', ...variables, ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const lines: string[] = [];
  const log = createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const url = await readUrl(createInterface({ input: child.stdout }), lines);

  async function read(sample: string): Promise<number | undefined> {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
    return line === undefined ? undefined : Number(line.slice(sample.length + 1));
  }

  return {
    url,
    read,
    async until(sample, value) {
      while ((await read(sample)) !== value) await delay(POLL_MILLISECONDS);
    },
    lines,
    async untilLine(pattern) {
      for (;;) {
        const line = lines.find((each) => pattern.test(each));
        if (line !== undefined) return line;
        await once(log, 'line');
      }
    },
    signal: (signal) => void child.kill(signal),
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function readUrl(stdout: AsyncIterable<string>, lines: readonly string[]): Promise<string> {
  for await (const line of stdout) if (line.startsWith('listening on ')) return line.slice('listening on '.length);
  throw new Error(`the service did not start: ${lines.join('\n')}`);
}
