/** Devnet in a separate process, so that a test under load does not block the event loop of the local alt chain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Fixtures } from '../../devnet/fixtures.ts';
import { SVC } from './run-svc.ts';

export interface DevnetProcess {
  /** Variables of the service, by name. */
  readonly env: Readonly<Record<string, string>>;
  readonly fixtures: Fixtures;
  stop(): Promise<void>;
}

export async function startDevnetProcess(): Promise<DevnetProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'devnet-'));
  const child = spawn(process.execPath, [SVC, 'devnet', '--dir', join(folder, 'devnet')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const isReady = await readUntilReady(createInterface({ input: child.stdout }));
  if (!isReady) throw new Error('the devnet did not start');
  child.stdout.resume();
  const lines = readFileSync(join(folder, 'devnet/env'), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^[A-Z0-9_]+=/.test(line)).map((line) => line.split(/=(.*)/s, 2));
  return {
    env: Object.fromEntries(pairs) as Record<string, string>,
    fixtures: JSON.parse(readFileSync(join(folder, 'devnet/fixtures.json'), 'utf8')) as Fixtures,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function readUntilReady(lines: AsyncIterable<string>): Promise<boolean> {
  for await (const line of lines) if (line === 'ready') return true;
  return false;
}
