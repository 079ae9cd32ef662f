/** Read replica: listings are read from it while it is fresh, and from the database otherwise. One row differs between the two databases. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../../testing/harness/embedded-postgres.ts';
import { startFaultProxy, type FaultProxy } from '../../../testing/harness/fault-proxy.ts';
import { startReplica, type Replica } from '../../../testing/harness/replica.ts';
import { fetchChecked } from '../fetch-checked.ts';

const POLL_MILLISECONDS = 50;

let server: PostgresServer;
let database: PostgresTestDatabase;
let standby: PostgresTestDatabase;
let wire: FaultProxy;
let variables: Readonly<Record<string, string>>;
let reader: Replica;
const replicas = new Set<Replica>();
beforeAll(async () => {
  server = await startEmbeddedPostgres();
  database = await server.createDatabase();
  variables = {
    ...inject('devnetEnv'),
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    // No process polls the chain while the tests run.
    POLL_INTERVAL_SECONDS: '60',
  };
  const writer = await start({ POLL_INTERVAL_SECONDS: '1' });
  await writer.until('svc_index_ready', 1);
  await writer.until('svc_alt_index_ready', 1);
  await untilListed(writer);
  // PostgreSQL copies a database only while no client is connected to it.
  await writer.kill();
  standby = await server.createDatabase(database);
  wire = await startFaultProxy({ path: `${new URL(standby.url).searchParams.get('host')}/.s.PGSQL.5432` });
  reader = await startReader();
}, 180_000);
afterAll(async () => {
  await Promise.all([...replicas].map((replica) => replica.kill()));
  await wire.close();
  await server.stop();
});

async function start(further: Readonly<Record<string, string>>): Promise<Replica> {
  const replica = await startReplica({ ...variables, ...further });
  replicas.add(replica);
  return replica;
}

async function startReader(): Promise<Replica> {
  const url = `postgres://postgres@127.0.0.1:${wire.port}/${standby.name}`;
  const replica = await start({ DATABASE_READ_URL: url, INDEXER: 'off' });
  await replica.until('svc_ready', 1);
  return replica;
}

const fleet = () => inject('fixtures').operators.find(({ name }) => name === 'fleet')!.address;

async function readTotal(replica: Replica): Promise<number | undefined> {
  const { status, json } = await fetchChecked(`${replica.url}/operator/${fleet()}/machines`);
  return status === 200 ? json<{ pagination: { total: number } }>().pagination.total : undefined;
}

async function untilListed(replica: Replica, total = 50): Promise<void> {
  while ((await readTotal(replica)) !== total) await delay(POLL_MILLISECONDS);
}

async function change(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: standby.url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Total that only the read replica returns. */
let shown: number | undefined;

const listTransitions = (replica: Replica) =>
  replica.lines.flatMap((line) => {
    const { msg, reason } = JSON.parse(line) as { readonly msg: string; readonly reason?: string };
    return msg.includes('listings are read') ? [reason ?? 'usable'] : [];
  });

/** Waits for the expected transitions, because a log line can arrive after the response that it precedes. */
async function expectTransitions(replica: Replica, ...expected: readonly string[]): Promise<void> {
  await expect.poll(() => listTransitions(replica), { timeout: 20_000 }).toEqual(expected);
}

it('switches to the database while the read replica lags, and back', async () => {
  expect(await readTotal(reader)).toBe(50);
  const owner = `decode('${fleet().slice(2)}', 'hex')`;
  await change(`UPDATE holders SET total = 7 WHERE holder = ${owner}`);
  shown = await readTotal(reader);
  expect(shown).toBeLessThan(50);
  await change('UPDATE checkpoints SET block_number = block_number - 101');
  expect(await readTotal(reader)).toBe(50);
  await change('UPDATE checkpoints SET block_number = block_number + 101');
  await untilListed(reader, shown);
  await expectTransitions(reader, 'usable', 'lags', 'usable');
});

it('stops querying a lagging read replica', async () => {
  await change('UPDATE checkpoints SET block_number = block_number - 101');
  expect(await readTotal(reader)).toBe(50);
  wire.inject({ kind: 'latency', milliseconds: 0 });
  for (let page = 0; page < 10; page++) expect(await readTotal(reader)).toBe(50);
  expect(wire.hits).toBe(0);
  wire.heal();
});

it('reads from the database while the read replica is silent, and exits with 0', async () => {
  await change('UPDATE checkpoints SET block_number = block_number + 101');
  const leaving = await startReader();
  await untilListed(leaving, shown);
  wire.inject({ kind: 'silence' });
  expect(await readTotal(leaving)).toBe(50);
  await expectTransitions(leaving, 'usable', 'fails');
  leaving.signal('SIGTERM');
  expect(await leaving.ended).toBe(0);
  wire.heal();
});

it('exits with 0 while a page waits for a silent read replica', async () => {
  const leaving = await startReader();
  await untilListed(leaving, shown);
  wire.inject({ kind: 'silence' });
  const page = readTotal(leaving);
  while (wire.hits === 0) await delay(POLL_MILLISECONDS);
  leaving.signal('SIGTERM');
  expect(await page).toBe(50);
  expect(await leaving.ended).toBe(0);
  wire.heal();
});

it('reads from the database when the read replica is gone', async () => {
  await untilListed(reader, shown);
  await standby.drop();
  expect(await readTotal(reader)).toBe(50);
  await expect.poll(() => listTransitions(reader).at(-1), { timeout: 20_000 }).toBe('fails');
});
