/** How is ponder run on the same chain? Installed into a folder of its own, started as its makers say, stopped when it calls itself ready. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { untilAnswering } from '../measuring.ts';
import type { FleetChain } from './fleet-chain.ts';

const PORT = 42_869;
const sources = join(import.meta.dirname, 'ponder');

/** Files of `ponder/` and what ponder calls them. */
const FILES = {
  'package.json': 'package.json',
  'ponder.config.mjs': 'ponder.config.ts',
  'ponder.schema.mjs': 'ponder.schema.ts',
  'handlers.mjs': 'src/index.ts',
  'api.mjs': 'src/api/index.ts',
};

/** False: its packages cannot be had. */
export function installPonder(folder: string): boolean {
  mkdirSync(join(folder, 'src/api'), { recursive: true });
  for (const [from, to] of Object.entries(FILES)) copyFileSync(join(sources, from), join(folder, to));
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  return spawnSync('npm', ['install', ...options], { cwd: folder, stdio: 'inherit' }).status === 0;
}

/**
 * Milliseconds from the start of the process until everything historical is indexed. A second `schema` of one database starts from what
 * the first has fetched, and only transforms it.
 */
export async function runPonder(
  folder: string,
  chain: FleetChain,
  databaseUrl: string,
  schema: string,
): Promise<number> {
  const began = performance.now();
  const child = spawn(join(folder, 'node_modules/.bin/ponder'), ['start', '-p', String(PORT), '--schema', schema], {
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      FLEET_CHAIN: JSON.stringify(chain),
      PONDER_TELEMETRY_DISABLED: '1',
      PONDER_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await Promise.race([untilReady(), untilGone(child)]);
    return performance.now() - began;
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function untilReady(): Promise<void> {
  for (let minutes = 0; minutes < 10; minutes++) {
    const isReady = await untilAnswering(`http://127.0.0.1:${PORT}/ready`).then(
      () => true,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error('ponder was not ready after ten minutes');
}

async function untilGone(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`ponder ended with ${code}`);
}

/** The owner of every token, by token. */
export async function readPonderOwners(databaseUrl: string, schema: string): Promise<Map<bigint, string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; owner: string }>(`SELECT id, owner FROM ${schema}.machine_owner`);
    return new Map(rows.map(({ id, owner }) => [BigInt(id), owner.toLowerCase()]));
  } finally {
    await client.end();
  }
}
