/**
 * Rolling restart without a failed request. Two replicas share one PostgreSQL behind a balancer without health checks; each response of a steady
 * load is compared with the fixtures. `bench/replicas/rolling-restarts.ts` does the same behind nginx at a high rate.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runLoad, type LoadReport } from '../../../bench/replicas/fixed-rate-load.ts';
import { createCalls } from '../../../bench/replicas/fixture-calls.ts';
import { Random } from '../../../sim/random.ts';
import { startBalancer, type Balancer } from '../../../testing/harness/balancer.ts';
import {
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../../testing/harness/embedded-postgres.ts';
import { startReplica, type Replica } from '../../../testing/harness/replica.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const REQUESTS_PER_SECOND = 150;

let server: PostgresServer;
let database: PostgresTestDatabase;
let balancer: Balancer;
const replicas: Replica[] = [];
beforeAll(async () => {
  server = await startEmbeddedPostgres();
  database = await server.createDatabase();
  replicas.push(await start(), await start());
  await replicas[0]!.until('svc_index_ready', 1);
  balancer = await startBalancer(() => replicas.map(({ url }) => url));
});
afterAll(async () => {
  await balancer.close();
  await Promise.all(replicas.map((replica) => replica.kill()));
  await database.drop();
  await server.stop();
});

async function start(): Promise<Replica> {
  const replica = await startReplica({ ...inject('devnetEnv'), DATABASE_URL: database.url, LOG_LEVEL: 'warn' });
  await replica.until('svc_ready', 1);
  return replica;
}

it(`fails no request during a rolling restart, SEED=${SEED}`, async () => {
  const fixtures = inject('fixtures');
  const token = inject('devnetEnv')['ONBOARDING_TOKENS']!.split(',')[0]!;
  const { next, reads } = createCalls(fixtures, token, new Random(SEED));
  const common = { port: balancer.port, connections: 16 };
  const each = { requestsPerSecond: Infinity, next: (index: number) => reads[index % reads.length]! };
  let failures: LoadReport['failures'];
  do ({ failures } = await runLoad({ ...common, ...each, isOver: (sent) => sent === 2 * reads.length }));
  while (failures.size > 0);

  let isRestarted = false;
  const load = runLoad({ ...common, requestsPerSecond: REQUESTS_PER_SECOND, next, isOver: () => isRestarted });
  const codes: (number | null)[] = [];
  for (const index of replicas.keys()) {
    const leaving = replicas[index]!;
    leaving.signal('SIGTERM');
    codes.push(await leaving.ended);
    replicas[index] = await start();
  }
  isRestarted = true;
  const { responses, failures: failed } = await load;
  expect([codes, Object.fromEntries(failed)]).toEqual([[0, 0], {}]);
  expect(responses).toBeGreaterThan(0);
  expect(balancer.retried).toBeGreaterThan(0);
}, 120_000);
