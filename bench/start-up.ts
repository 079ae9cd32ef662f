/**
 * Start-up time: from the start of the process to a response of `/health`, alternating between the built files (`npm run build`)
 * and the sources, on a seeded devnet. `BENCH_ROUNDS` changes the length.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startDevnet } from '../devnet/start-devnet.ts';
import { printFigures } from './figures.ts';
import { median } from './measuring.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10);
const root = join(import.meta.dirname, '..');
const entries = ['dist/svc.js', 'cli/svc.ts'].filter((entry) => existsSync(join(root, entry)));

/** Returns milliseconds until `/health` returns 200. */
async function measure(entry: string, variables: Record<string, string>): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, entry), 'serve'], {
    env: { ...process.env, ...variables, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { status } = await fetch(`${line.replace('listening on ', '')}/health`);
    if (status !== 200) throw new Error(`/health returned ${status}`);
    return performance.now() - started;
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
const devnet = await startDevnet({ dir: folder });
const modes = {
  'with a chain': { ...devnet.env, DATABASE_URL: `sqlite:${join(folder, 'svc.db')}` },
  uninitialised: { DATABASE_URL: `sqlite:${join(folder, 'empty.db')}` },
};
try {
  const measured = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const entry of entries) {
      for (const [mode, variables] of Object.entries(modes)) {
        const milliseconds = await measure(entry, variables);
        // The first round warms the disk.
        if (round > 0) measured.set(`${entry}, ${mode}`, [...(measured.get(`${entry}, ${mode}`) ?? []), milliseconds]);
      }
    }
  }
  for (const [name, values] of measured) {
    const [least, most] = [Math.min(...values), Math.max(...values)].map(Math.round);
    console.log(`${name.padEnd(30)} ${Math.round(median(values))} ms (${least} to ${most})`);
  }
  const ours = (mode: keyof typeof modes) => ({ ours: median(measured.get(`${entries[0]}, ${mode}`)!) });
  printFigures({ 'start/chain': ours('with a chain'), 'start/uninitialised': ours('uninitialised') });
} finally {
  await devnet.stop();
}
