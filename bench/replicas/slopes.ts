/**
 * Cost of one more replica. Runs 1 to 4 replicas over one PostgreSQL and both local chains, each under the same open-loop load of
 * reads, and prints memory and CPU time of a replica, calls to the nodes and connections to the database, with the slope of each.
 *
 *     node bench/replicas/slopes.ts
 *
 * `COUNTS` (`1,2,3,4`), `RATE` (500 requests a second and replica) and `SECONDS` (60) change the size, `ENTRY` the program. Exits with 1
 * if a response was wrong.
 */
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Random } from '../../sim/random.ts';
import { startDevnetProcess } from '../../testing/harness/devnet-process.ts';
import { startEmbeddedPostgres } from '../../testing/harness/embedded-postgres.ts';
import { startReplica, type Replica } from '../../testing/harness/replica.ts';
import { fitLine } from '../line.ts';
import { waitForOk } from '../measuring.ts';
import { runLoad } from './fixed-rate-load.ts';
import { createCalls, type FixtureCalls } from './fixture-calls.ts';

const COUNTS = (process.env['COUNTS'] ?? '1,2,3,4').split(',').map(Number);
const RATE = Number(process.env['RATE'] ?? 500);
const SECONDS = Number(process.env['SECONDS'] ?? 60);
const CONNECTIONS = 16;
const BUILT = join(import.meta.dirname, '../../dist/svc.js');
const SOURCE = join(import.meta.dirname, '../../cli/svc.ts');
const ENTRY = process.env['ENTRY'] ?? (existsSync(BUILT) ? BUILT : SOURCE);
const MEGABYTE = 2 ** 20;

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
  /** Of the leader, which follows the chains, and on average of the others. */
  readonly leaderCpuPercent: number;
  readonly otherCpuPercent: number;
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

async function measure(
  replicas: readonly Replica[],
  client: pg.Client,
  createLoad: () => FixtureCalls,
): Promise<Figures> {
  const ports = replicas.map(({ url }) => Number(new URL(url).port));
  for (const port of ports) await waitUntilCorrect(port, createLoad());
  const before = await Promise.all(replicas.map(readAll));
  const reports = await Promise.all(
    ports.map((port) => {
      const { reads } = createLoad();
      const load = { port, requestsPerSecond: RATE, connections: CONNECTIONS };
      return runLoad({
        ...load,
        next: (index) => reads[index % reads.length]!,
        isOver: (due) => due >= RATE * SECONDS,
      });
    }),
  );
  const after = await Promise.all(replicas.map(readAll));
  const seconds = Math.max(...reports.map((report) => report.seconds));
  const spent = (name: Sample) => after.map((each, i) => each[name] - before[i]![name]);
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  const isLeader = await Promise.all(replicas.map(async (replica) => (await replica.read('svc_leader')) === 1));
  const percent = spent('cpuSeconds').map((cpu) => (100 * cpu) / seconds);
  const others = percent.filter((_, i) => !isLeader[i]);
  const resident = await Promise.all(replicas.map((replica) => replica.read('process_resident_memory_bytes')));
  const { rows } = await client.query<{ count: string }>(
    'SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  return {
    replicas: replicas.length,
    failed: sum(reports.flatMap(({ failures }) => [...failures.values()])),
    residentMegabytes: Math.max(...resident.map((bytes) => (bytes ?? 0) / MEGABYTE)),
    leaderCpuPercent: sum(percent.filter((_, i) => isLeader[i])),
    otherCpuPercent: others.length === 0 ? 0 : sum(others) / others.length,
    mainRequestsPerMinute: (60 * sum(spent('mainRequests'))) / seconds,
    altRequestsPerMinute: (60 * sum(spent('altRequests'))) / seconds,
    databaseConnections: Number(rows[0]!.count),
  };
}

const postgres = await startEmbeddedPostgres();
const devnet = await startDevnetProcess();
const replicas: Replica[] = [];
try {
  const database = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const variables = { ...devnet.env, DATABASE_URL: database.url, POLL_INTERVAL_SECONDS: '5', LOG_LEVEL: 'warn' };
  const token = devnet.env['ONBOARDING_TOKENS']!.split(',')[0]!;
  const all: Figures[] = [];
  for (const count of COUNTS) {
    while (replicas.length < count) {
      const replica = await startReplica(variables, { entry: ENTRY });
      replicas.push(replica);
      await waitForOk(`${replica.url}/ready`);
    }
    const figures = await measure(replicas, client, () => createCalls(devnet.fixtures, token, new Random(1)));
    console.log(JSON.stringify({ ...figures, load: loadavg()[0] }));
    all.push(figures);
  }
  await client.end();
  for (const name of ['mainRequestsPerMinute', 'altRequestsPerMinute', 'databaseConnections'] as const) {
    if (all.length > 1) {
      const { slope } = fitLine(all.map((each) => [each.replicas, each[name]]));
      console.log(`${name}: ${slope.toFixed(1)} for each further replica`);
    }
  }
  if (all.some(({ failed }) => failed > 0)) process.exitCode = 1;
} finally {
  for (const replica of replicas) await replica.kill();
  await devnet.stop();
  await postgres.stop();
}
