/** Ponder as a peer on the same chain: installed into its own folder, started as documented, stopped when it reports ready. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { waitForOk } from '../measuring.ts';
import type { FleetChain } from './fleet-chain.ts';

const PORT = 42_869;
const sources = join(import.meta.dirname, 'ponder');

/** Files of `ponder/` with the names that ponder expects. */
const FILES = {
  'package.json': 'package.json',
  'ponder.config.mjs': 'ponder.config.ts',
  'ponder.schema.mjs': 'ponder.schema.ts',
  'handlers.mjs': 'src/index.ts',
  'api.mjs': 'src/api/index.ts',
};

/** Installs ponder. Returns whether its packages are available. */
export function installPonder(folder: string): boolean {
  mkdirSync(join(folder, 'src/api'), { recursive: true });
  for (const [from, to] of Object.entries(FILES)) copyFileSync(join(sources, from), join(folder, to));
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  return spawnSync('npm', ['install', ...options], { cwd: folder, stdio: 'inherit' }).status === 0;
}

/**
 * Returns milliseconds from the start of the process until all history is indexed. A second `schema` of one database reuses
 * what the first has fetched, and only transforms it.
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
    await Promise.race([waitUntilReady(), rejectOnExit(child)]);
    return performance.now() - began;
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function waitUntilReady(): Promise<void> {
  for (let minutes = 0; minutes < 10; minutes++) {
    const isReady = await waitForOk(`http://127.0.0.1:${PORT}/ready`).then(
      () => true,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error('ponder was not ready after ten minutes');
}

async function rejectOnExit(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`ponder exited with ${code}`);
}

/** Returns the owner of every token. */
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
