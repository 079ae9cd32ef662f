/** Failover of the leader: several processes share one PostgreSQL, one writes the index, and another continues when it dies. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../../testing/harness/embedded-postgres.ts';
import { startReplica, type Replica } from '../../../testing/harness/replica.ts';
import { fetchChecked, type CheckedResponse } from '../fetch-checked.ts';

const KILLS = Number(process.env['KILLS'] ?? 2);

let server: PostgresServer;
let database: PostgresTestDatabase;
const replicas = new Set<Replica>();
beforeAll(async () => {
  server = await startEmbeddedPostgres();
  database = await server.createDatabase();
});
afterAll(async () => {
  await Promise.all([...replicas].map((replica) => replica.kill()));
  await database.drop();
  await server.stop();
});

async function start(): Promise<Replica> {
  const env = { ...inject('devnetEnv'), DATABASE_URL: database.url, POLL_INTERVAL_SECONDS: '1', LOG_LEVEL: 'warn' };
  const replica = await startReplica(env);
  replicas.add(replica);
  return replica;
}

async function kill(replica: Replica): Promise<void> {
  replicas.delete(replica);
  await replica.kill();
}

/** Returns the machines of a listing, without the lag of the index. */
function listed(response: CheckedResponse) {
  const { machines, pagination } = response.json();
  return { machines, pagination };
}

/** Asserts that both replicas return the response of the undisturbed service. */
async function expectSame(
  leader: Replica,
  follower: Replica,
  path: string,
  read: (response: CheckedResponse) => unknown,
) {
  const expected = await fetchChecked(inject('baseUrl') + path);
  for (const { url } of [leader, follower]) {
    const response = await fetchChecked(url + path);
    expect([path, response.status, read(response)]).toEqual([path, expected.status, read(expected)]);
  }
}

it(
  `completes the index when its leader is killed ${KILLS} times`,
  async () => {
    let leader = await start();
    await leader.until('svc_leader', 1);
    for (let count = 0; count < KILLS; count++) {
      const follower = await start();
      expect(await follower.read('svc_leader')).toBe(0);
      expect(await leader.read('svc_leader')).toBe(1);
      await kill(leader);
      await follower.until('svc_leader', 1);
      leader = follower;
    }
    const follower = await start();
    await leader.until('svc_index_ready', 1);
    await leader.until('svc_index_lag_blocks', 2);
    await follower.until('svc_ready', 1);
    expect(await follower.read('svc_leader')).toBe(0);
    const { operators, machines } = inject('fixtures');
    for (const { address } of operators) await expectSame(leader, follower, `/operator/${address}/machines`, listed);
    // A score that depends on payments is not expected at once: each service follows payments in its own time.
    const ratings = machines
      .filter(({ home, did, expect: { [`/mcr/${did}`]: mcr } }) => home === 'main' && 'mcr_score' in mcr!.body)
      .map(({ did }) => `/mcr/${did}`);
    for (const path of ratings) await expectSame(leader, follower, path, ({ text }) => text);
  },
  120_000 + KILLS * 30_000,
);
