/**
 * Backfill of the main-chain index, against ponder and against a bare loop, on a dense and a sparse chain. Each indexer runs
 * in its own process, alternating with the others; requests are counted in a separate run, and all final rows are compared.
 * `BENCH_ROUNDS` and `BENCH_CHAINS` (`dense,sparse`) change the length; `BENCH_PONDER=off` leaves ponder out.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { rolldown } from 'rolldown';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { printFigures } from '../figures.ts';
import { median } from '../measuring.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { startFleetChain, type FleetChain, type FleetChainPlan } from './fleet-chain.ts';
import type { FloorRun } from './floor.ts';
import { installPonder, readPonderOwners, runPonder } from './ponder-peer.ts';
import type { IndexRun } from './run-index.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const execute = promisify(execFile);

const PLANS: Readonly<Record<string, FleetChainPlan>> = {
  dense: { transfers: 200_000, machines: 100_000, blocks: 1_600, emptyBlocksBetween: 0 },
  sparse: { transfers: 200, machines: 100, blocks: 200, emptyBlocksBetween: 24 },
};

const CHAINS = process.env['BENCH_CHAINS']?.split(',') ?? Object.keys(PLANS);

/** Output folder, from which packages resolve. */
const BUILT = join(import.meta.dirname, '../../node_modules/.cache/bench-index');

/** Worker thread of the index, a file of its own beside it. */
const WORKER = join(import.meta.dirname, '../../src/adapters/main-chain/rpc/large-response-worker.ts');

/** Bundles the index as the service is bundled, and returns the path of the file. */
async function build(file: string): Promise<string> {
  const external = ['better-sqlite3', 'pg'];
  const input = [join(import.meta.dirname, file), WORKER];
  const building = await rolldown({ input, platform: 'node', external });
  await building.write({ dir: BUILT, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  return join(BUILT, `${parse(file).name}.mjs`);
}

/** Runs a file and returns its line of JSON, with milliseconds from the start of the process. */
async function run<T>(file: string, variables: Record<string, string>): Promise<T & { wallMilliseconds: number }> {
  const began = performance.now();
  const { stdout } = await execute(process.execPath, [file], {
    env: { ...process.env, ...variables },
  });
  return { ...(JSON.parse(stdout) as T), wallMilliseconds: performance.now() - began };
}

/** Returns the milliseconds in which the database copies all rows of an index, one statement a table: no client stores them in less. */
async function measureCopy(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ tablename: string }>(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
    );
    const tables = rows.map(({ tablename }) => tablename);
    for (const table of tables) await client.query(`CREATE TABLE copied_${table} (LIKE ${table} INCLUDING ALL)`);
    const began = performance.now();
    for (const table of tables) await client.query(`INSERT INTO copied_${table} SELECT * FROM ${table}`);
    return performance.now() - began;
  } finally {
    await client.end();
  }
}

async function readOwners(databaseUrl: string): Promise<Map<bigint, string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ machine_id: Buffer; owner: Buffer }>(
      'SELECT machine_id, owner FROM machine_owners',
    );
    return new Map(
      rows.map(({ machine_id, owner }) => [BigInt(`0x${machine_id.toString('hex')}`), `0x${owner.toString('hex')}`]),
    );
  } finally {
    await client.end();
  }
}

function countDifferences(ours: ReadonlyMap<bigint, string>, theirs: ReadonlyMap<bigint, string>): number {
  const ids = new Set([...ours.keys(), ...theirs.keys()]);
  return [...ids].filter((id) => ours.get(id) !== theirs.get(id)).length;
}

function show(name: string, values: readonly number[], transfers: number, requests: number | undefined): void {
  const own = median(values);
  const range = `${(Math.min(...values) / 1000).toFixed(2)} to ${(Math.max(...values) / 1000).toFixed(2)}`;
  const rate = Math.round((transfers / own) * 1000);
  console.log(
    `${name.padEnd(34)} ${(own / 1000).toFixed(2)} s (${range})  ${rate} transfers/s  ${requests ?? '-'} requests`,
  );
}

async function compare(name: string, plan: FleetChainPlan, server: PostgresServer, folder: string): Promise<void> {
  const { stop, ...chain } = await startFleetChain(plan);
  const proxy = await startCountingProxy(chain.rpcUrl);
  try {
    const FLEET_CHAIN = JSON.stringify(chain);
    const counted: FleetChain = { ...chain, rpcUrl: proxy.url };
    const times = { postgres: [], sqlite: [], process: [], floor: [], ponder: [], transform: [] } as Record<
      'postgres' | 'sqlite' | 'process' | 'floor' | 'ponder' | 'transform',
      number[]
    >;
    const countedDatabase = await server.createDatabase();
    const ours = await run<IndexRun>(index, {
      FLEET_CHAIN: JSON.stringify(counted),
      DATABASE_URL: countedDatabase.url,
    });
    const requests = proxy.requests;
    proxy.reset();
    let ponderRequests: number | undefined;
    let differences: number | undefined;
    if (isWithPonder) {
      const { url } = await server.createDatabase();
      await runPonder(folder, counted, url, 'counted');
      ponderRequests = proxy.requests;
      differences = countDifferences(await readOwners(countedDatabase.url), await readPonderOwners(url, 'counted'));
    }
    const copying = await measureCopy(countedDatabase.url);
    let floorRequests = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { url } = await server.createDatabase();
      const postgres = await run<IndexRun>(index, { FLEET_CHAIN, DATABASE_URL: url });
      times.postgres.push(postgres.milliseconds);
      times.process.push(postgres.wallMilliseconds);
      const file = join(folder, `${name}-${round}.db`);
      times.sqlite.push((await run<IndexRun>(index, { FLEET_CHAIN, DATABASE_URL: `sqlite:${file}` })).milliseconds);
      const bare = await run<FloorRun>(floor, { FLEET_CHAIN });
      times.floor.push(bare.milliseconds);
      floorRequests = bare.requests;
      if (isWithPonder) {
        const database = await server.createDatabase();
        times.ponder.push(await runPonder(folder, chain, database.url, 'fetched'));
        times.transform.push(await runPonder(folder, chain, database.url, 'transformed'));
      }
    }
    const { transfers } = plan;
    console.log(`\n${name}: ${transfers} transfers, ${chain.finalizedBlock} blocks; load ${loadavg()[0]!.toFixed(1)}`);
    show('this index, PostgreSQL', times.postgres, transfers, requests);
    show('  with the start of its process', times.process, transfers, undefined);
    show('this index, SQLite', times.sqlite, transfers, requests);
    show('bare getLogs + JSON.parse', times.floor, transfers, floorRequests);
    show('copy of its rows in PostgreSQL', [copying], transfers, undefined);
    console.log(
      `calls in requests ${ours.rpcCalls}, contract calls ${ours.contractCalls}, peak ${ours.peakMegabytes} MB`,
    );
    console.log(`of the bare loop's rate: ${Math.round((100 * median(times.floor)) / median(times.postgres))} %`);
    const perSecond = (milliseconds: number) => (transfers * 1000) / milliseconds;
    printFigures({
      [`${name}/loop`]: { ours: perSecond(median(times.postgres)), peer: perSecond(median(times.floor)) },
      [`${name}/ponder`]: { ours: median(times.process), peer: absence },
      [`${name}/transform`]: { ours: median(times.process), peer: absence },
      [`${name}/requests`]: { ours: requests, peer: absence },
      [`${name}/copy`]: { ours: copying },
    });
    if (ponderRequests === undefined) return;
    show('ponder, from its process start', times.ponder, transfers, ponderRequests);
    show('ponder, nothing left to fetch', times.transform, transfers, undefined);
    const [whole, cached] = [times.ponder, times.transform].map((each) => median(each) / median(times.process));
    console.log(
      `ponder / this index: ${whole!.toFixed(1)} whole, ${cached!.toFixed(1)} transform only, ${(ponderRequests / requests).toFixed(1)} requests; rows that differ: ${differences}`,
    );
    printFigures({
      [`${name}/ponder`]: { ours: median(times.process), peer: median(times.ponder) },
      [`${name}/transform`]: { ours: median(times.process), peer: median(times.transform) },
      [`${name}/requests`]: { ours: requests, peer: ponderRequests },
      [`${name}/differences`]: { ours: differences! },
    });
  } finally {
    await proxy.close();
    await stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-index-'));
const index = await build('run-index.ts');
const floor = join(import.meta.dirname, 'floor.ts');
const isWithPonder = process.env['BENCH_PONDER'] !== 'off' && installPonder(folder);
/** Peer figure of ponder when it is not measured. */
const absence = process.env['BENCH_PONDER'] === 'off' ? undefined : null;
const server = await startEmbeddedPostgres();
try {
  for (const name of CHAINS) await compare(name, PLANS[name]!, server, folder);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}
