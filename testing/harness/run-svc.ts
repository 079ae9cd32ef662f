/** Runs `bin/svc` as a process with its own environment. */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export const SVC = join(import.meta.dirname, '..', '..', 'bin', 'svc');

export interface SvcOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Node binary; default: the one that runs the tests. */
  readonly node?: string;
  /** Path of the command; default: `SVC`. */
  readonly path?: string;
}

export interface SvcResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it exits. */
export async function runSvc(args: readonly string[], options: SvcOptions = {}): Promise<SvcResult> {
  return readResult(startSvc(args, options));
}

/** Returns what a process prints until it exits. */
export async function readResult(svc: RunningSvc): Promise<SvcResult> {
  const [stdout, stderr] = [readAll(svc.stdout), readAll(svc.stderr)];
  const [code] = (await once(svc, 'close')) as [number | null];
  return { code, stdout: await stdout, stderr: await stderr };
}

/** Starts a long-running command, which the caller stops. */
export function startSvc(args: readonly string[], { env, cwd, node, path }: SvcOptions = {}) {
  return spawn(node ?? process.execPath, [path ?? SVC, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export type RunningSvc = ChildProcessByStdio<null, Readable, Readable>;

/** Returns the first matching line of standard output; throws with standard error when the command exits before it. */
export async function waitForLine(svc: RunningSvc, pattern: RegExp): Promise<string> {
  const stderr = readAll(svc.stderr);
  for await (const line of createInterface({ input: svc.stdout })) if (pattern.test(line)) return line;
  throw new Error(`no line ${String(pattern)}: ${await stderr}`);
}

/** Sends the signal and returns the exit code. */
export async function stopSvc(svc: RunningSvc, signal: 'SIGINT' | 'SIGTERM'): Promise<number | null> {
  const closed = once(svc, 'exit') as Promise<[number | null]>;
  svc.kill(signal);
  return (await closed)[0];
}

async function readAll(stream: Readable): Promise<string> {
  return (await stream.setEncoding('utf8').toArray()).join('');
}

/** Returns a Node on the path that cannot run TypeScript, or undefined. */
export function findOldNode(): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.find((path) => {
    if (!existsSync(path)) return false;
    const { stdout } = spawnSync(path, ['-p', 'Boolean(process.features.typescript)'], { encoding: 'utf8' });
    return stdout.trim() === 'false';
  });
}
