/**
 * Terminal of a reader who runs the commands of a page: each command has a pseudo-terminal of its own, as `script` provides it, and is stopped with
 * a key. Linux.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** Bound of every wait, for a machine that is ten times slower. */
const LIMIT_MILLISECONDS = 900_000;

/** Processes that have their signal still take a moment. */
const GONE_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 100;

export const CTRL_C = '\x03';

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A command that runs in its own terminal. */
export class RunningCommand {
  readonly #line: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #closed: Promise<number | null>;
  readonly #startedAt = performance.now();
  #text = '';
  /** Length of the text that `until` has passed. */
  #passed = 0;
  readonly #cwd: string;
  readonly #before: ReadonlySet<string>;

  constructor(line: string, { cwd, env }: TerminalOptions) {
    this.#line = line;
    this.#cwd = cwd;
    this.#before = new Set(listProcesses(cwd));
    // A dumb terminal, in which npm draws no progress.
    const variables = { ...env, SHELL: '/bin/bash', TERM: 'dumb' };
    this.#child = spawn('script', ['--quiet', '--flush', '--return', '--command', line, '/dev/null'], {
      cwd,
      env: variables,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#text += text));
    }
    // The command may end while a key is pressed.
    this.#child.stdin.on('error', () => undefined);
    this.#closed = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** Everything that was printed, without colors. */
  get text(): string {
    return stripVTControlCharacters(this.#text).replaceAll('\r', '');
  }

  /** Resolves when the pattern is printed after what the last call waited for. Throws when the command ends before. */
  async until(pattern: RegExp): Promise<void> {
    const limit = AbortSignal.timeout(LIMIT_MILLISECONDS);
    for (;;) {
      const found = pattern.exec(this.text.slice(this.#passed));
      if (found !== null) {
        this.#passed += found.index + found[0].length;
        return;
      }
      const next = once(this.#child.stdout, 'data', { signal: limit }).then(() => 'printed');
      const outcome = await Promise.race([next, this.#closed.then(() => 'closed')]).catch(() => 'late');
      if (outcome !== 'printed') throw new Error(`${this.#line}: no ${String(pattern)} (${outcome})\n${this.text}`);
    }
  }

  /** Presses a key, waits until the command ends, and returns its exit code. */
  async stop(key: string): Promise<number | null> {
    this.#child.stdin.write(key);
    return this.exit();
  }

  /** Waits until the command ends, prints how long it took, and returns its exit code. */
  async exit(): Promise<number | null> {
    const timer = setTimeout(() => this.kill(), LIMIT_MILLISECONDS);
    const code = await this.#closed;
    clearTimeout(timer);
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${this.#line}\n`);
    return code;
  }

  /** Closes the terminal of a command that has not ended, which hangs up its processes. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Resolves when no process is left in the folder that was not there before the command. Throws with their names. */
  async untilGone(): Promise<void> {
    const limit = performance.now() + GONE_MILLISECONDS;
    for (;;) {
      const left = listProcesses(this.#cwd).filter((each) => !this.#before.has(each));
      if (left.length === 0) return;
      if (performance.now() > limit) throw new Error(`${this.#line} left processes: ${left.join(', ')}`);
      await delay(POLL_MILLISECONDS);
    }
  }
}

/** Returns the ids and names of the processes whose working directory is in a folder. */
function listProcesses(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const directory = readlinkSync(`/proc/${pid}/cwd`);
        return directory === folder || directory.startsWith(`${folder}/`) ? [describeProcess(pid)] : [];
      } catch {
        // It has ended, or belongs to another account.
        return [];
      }
    });
}

function describeProcess(pid: string): string {
  return `${pid} ${readlinkSync(`/proc/${pid}/exe`)}`;
}
