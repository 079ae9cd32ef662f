/**
 * Cost of one more replica. Runs 1 to 4 replicas over one PostgreSQL and both local chains, first idle and then each under the same
 * open-loop load of reads. Prints memory, CPU seconds of replicas and database while idle, CPU time per request, calls to the nodes
 * and connections to the database, with the slope of each. CPU times hold on a machine that is shared, where throughput does not.
 *
 *     node bench/replicas/slopes.ts
 *
 * `COUNTS` (`1,2,3,4`), `RATE` (500 requests a second and replica) and `SECONDS` (60, idle and loaded) change the size, `ENTRY` the
 * program. Exits with 1 if a response was wrong.
 */
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Random } from '../../sim/random.ts';
import { startDevnetProcess } from '../../testing/harness/devnet-process.ts';
import { startEmbeddedPostgres } from '../../testing/harness/embedded-postgres.ts';
import { startReplica, type Replica } from '../../testing/harness/replica.ts';
import { printFigures } from '../figures.ts';
import { fitLine } from '../line.ts';
import { waitForOk } from '../measuring.ts';
import { runLoad } from './fixed-rate-load.ts';
import { createCalls, type FixtureCalls } from './fixture-calls.ts';
import { readProcessTimes, sumTree } from './processor-time.ts';

const COUNTS = (process.env['COUNTS'] ?? '1,2,3,4').split(',').map(Number);
const RATE = Number(process.env['RATE'] ?? 500);
const SECONDS = Number(process.env['SECONDS'] ?? 60);
/** Reads in which the code of a replica is compiled. */
const WARM_UP_SECONDS = 10;
const CONNECTIONS = 16;
const BUILT = join(import.meta.dirname, '../../dist/svc.js');
const SOURCE = join(import.meta.dirname, '../../cli/svc.ts');
const ENTRY = process.env['ENTRY'] ?? (existsSync(BUILT) ? BUILT : SOURCE);
const MEGABYTE = 2 ** 20;

const CONNECTIONS_SQL = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/** Samples of a replica's metrics. */
const SAMPLES = {
  cpuSeconds: 'process_cpu_seconds_total',
  mainRequests: 'svc_upstream_requests_total{chain="main"}',
  altRequests: 'svc_upstream_requests_total{chain="alt"}',
} as const;
type Sample = keyof typeof SAMPLES;

interface Figures {
  readonly replicas: number;
  readonly failed: number;
  /** Of the largest replica. */
  readonly residentMegabytes: number;
  /** CPU seconds a minute of all replicas and of the database server while no caller reads. */
  readonly idleCpuSeconds: number;
  readonly idleDatabaseCpuSeconds: number;
  /** CPU time of all replicas under load for one request, with everything that they do besides. */
  readonly requestMicroseconds: number;
  /** Of all replicas. */
  readonly mainRequestsPerMinute: number;
  readonly altRequestsPerMinute: number;
  readonly databaseConnections: number;
}

async function readAll(replica: Replica): Promise<Readonly<Record<Sample, number>>> {
  const read = async (name: Sample) => [name, (await replica.read(SAMPLES[name])) ?? 0] as const;
  return Object.fromEntries(await Promise.all((Object.keys(SAMPLES) as Sample[]).map(read))) as Record<Sample, number>;
}

/** Waits until every read of a replica is correct. */
async function waitUntilCorrect(port: number, { reads }: FixtureCalls): Promise<void> {
  for (;;) {
    const once = { port, requestsPerSecond: Infinity, connections: 8, next: (index: number) => reads[index]! };
    const { failures } = await runLoad({ ...once, isOver: (due) => due === reads.length });
    if (failures.size === 0) return;
  }
}

/** CPU seconds so far. */
interface Spent {
  /** In milliseconds; of a difference: its minutes. */
  readonly at: number;
  readonly service: number;
  readonly database: number;
  readonly mainRequests: number;
  readonly altRequests: number;
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);

/** Returns the first process of the database server. */
async function readServerProcess(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  return Number(readFileSync(join(rows[0]!.data_directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

async function readSpent(replicas: readonly Replica[], client: pg.Client): Promise<Spent> {
  const samples = await Promise.all(replicas.map(readAll));
  return {
    at: performance.now(),
    service: sum(samples.map(({ cpuSeconds }) => cpuSeconds)),
    database: sumTree(readProcessTimes(), await readServerProcess(client)),
    mainRequests: sum(samples.map(({ mainRequests }) => mainRequests)),
    altRequests: sum(samples.map(({ altRequests }) => altRequests)),
  };
}

/** Returns what one part of a measurement used in a minute. */
function perMinute(before: Spent, after: Spent): Spent {
  const minutes = (after.at - before.at) / 60_000;
  const rate = (name: keyof Spent) => (after[name] - before[name]) / minutes;
  return {
    at: minutes,
    service: rate('service'),
    database: rate('database'),
    mainRequests: rate('mainRequests'),
    altRequests: rate('altRequests'),
  };
}

async function measure(
  replicas: readonly Replica[],
  client: pg.Client,
  createLoad: () => FixtureCalls,
): Promise<Figures> {
  const ports = replicas.map(({ url }) => Number(new URL(url).port));
  for (const port of ports) await waitUntilCorrect(port, createLoad());
  const readFor = (seconds: number) =>
    Promise.all(
      ports.map((port) => {
        const { reads } = createLoad();
        const load = { port, requestsPerSecond: RATE, connections: CONNECTIONS };
        return runLoad({
          ...load,
          next: (index) => reads[index % reads.length]!,
          isOver: (due) => due >= RATE * seconds,
        });
      }),
    );
  await readFor(WARM_UP_SECONDS);
  const atRest = await readSpent(replicas, client);
  await delay(SECONDS * 1000);
  const before = await readSpent(replicas, client);
  const reports = await readFor(SECONDS);
  const after = await readSpent(replicas, client);
  const [idle, loaded] = [perMinute(atRest, before), perMinute(before, after)];
  const resident = await Promise.all(replicas.map((replica) => replica.read('process_resident_memory_bytes')));
  const { rows } = await client.query(CONNECTIONS_SQL);
  return {
    replicas: replicas.length,
    failed: sum(reports.flatMap(({ failures }) => [...failures.values()])),
    residentMegabytes: Math.max(...resident.map((bytes) => (bytes ?? 0) / MEGABYTE)),
    idleCpuSeconds: idle.service,
    idleDatabaseCpuSeconds: idle.database,
    requestMicroseconds: (1e6 * loaded.service * loaded.at) / sum(reports.map(({ responses }) => responses)),
    mainRequestsPerMinute: loaded.mainRequests,
    altRequestsPerMinute: loaded.altRequests,
    databaseConnections: rows.length,
  };
}

const SLOPES = [
  ...(['idleCpuSeconds', 'idleDatabaseCpuSeconds', 'requestMicroseconds'] as const),
  ...(['mainRequestsPerMinute', 'altRequestsPerMinute', 'databaseConnections'] as const),
] as const;

/** Returns what one more replica adds. */
function slopeOf(all: readonly Figures[], name: (typeof SLOPES)[number]): number {
  return fitLine(all.map((each) => [each.replicas, each[name]])).slope;
}

const postgres = await startEmbeddedPostgres();
const devnet = await startDevnetProcess();
const replicas: Replica[] = [];
try {
  const database = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const settings = { DATABASE_URL: database.url, POLL_INTERVAL_SECONDS: '5', LOG_LEVEL: 'warn' };
  // As the image and the unit run it.
  const memory = { NODE_OPTIONS: '--max-semi-space-size=2', MALLOC_ARENA_MAX: '1' };
  const variables = { ...devnet.env, ...settings, ...memory };
  const token = devnet.env['ONBOARDING_TOKENS']!.split(',')[0]!;
  const all: Figures[] = [];
  for (const count of COUNTS) {
    while (replicas.length < count) {
      const replica = await startReplica(variables, { entry: ENTRY });
      replicas.push(replica);
      await waitForOk(`${replica.url}/ready`);
    }
    // The proof of the index is a cost of the first start.
    await replicas[0]!.until('svc_index_unproven_blocks', 0);
    const figures = await measure(replicas, client, () => createCalls(devnet.fixtures, token, new Random(1)));
    console.log(JSON.stringify({ ...figures, load: loadavg()[0] }));
    all.push(figures);
  }
  await client.end();
  for (const name of SLOPES) {
    if (all.length > 1) console.log(`${name}: ${slopeOf(all, name).toFixed(2)} for each further replica`);
  }
  if (all.length > 1) {
    printFigures({
      'replicas/idle': { ours: slopeOf(all, 'idleCpuSeconds') },
      'replicas/idle-database': { ours: slopeOf(all, 'idleDatabaseCpuSeconds') },
      'replicas/request': { ours: sum(all.map((each) => each.requestMicroseconds)) / all.length },
      'replicas/resident': { ours: Math.max(...all.map((each) => each.residentMegabytes)) },
      'replicas/node-requests': { ours: slopeOf(all, 'mainRequestsPerMinute') + slopeOf(all, 'altRequestsPerMinute') },
      'replicas/connections': { ours: Math.max(...all.map((each) => each.databaseConnections / each.replicas)) },
    });
  }
  if (all.some(({ failed }) => failed > 0)) process.exitCode = 1;
} finally {
  for (const replica of replicas) await replica.kill();
  await devnet.stop();
  await postgres.stop();
}
