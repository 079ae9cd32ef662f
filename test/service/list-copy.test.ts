/** Are lists read from the copy of the database while it is fresh, and from the database itself as soon as it is not? Two databases, told apart by one row. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startEmbeddedPostgres, type PostgresServer, type PostgresTestDatabase } from '../embedded-postgres.ts';
import { startReplica, type Replica } from '../replica.ts';
import { ask } from './ask.ts';

let server: PostgresServer;
let database: PostgresTestDatabase;
let copy: PostgresTestDatabase;
let writer: Replica;
let reader: Replica;
beforeAll(async () => {
  server = await startEmbeddedPostgres();
  database = await server.createDatabase();
  const variables = {
    ...inject('devnetEnv'),
    DATABASE_URL: database.url,
    LOG_LEVEL: 'warn',
    POLL_INTERVAL_SECONDS: '60',
  };
  writer = await startReplica(variables);
  await writer.until('svc_index_ready', 1);
  await writer.until('svc_alt_index_ready', 1);
  await untilListed(writer);
  // A copy of a database is made while nobody is connected to it.
  await writer.kill();
  copy = await server.createDatabase(database);
  reader = await startReplica({ ...variables, DATABASE_READ_URL: copy.url, INDEXER: 'off', LOG_LEVEL: 'info' });
  await reader.until('svc_ready', 1);
});
afterAll(async () => {
  await reader.kill();
  await server.stop();
});

const fleet = () => inject('fixtures').operators.find(({ name }) => name === 'fleet')!.address;

async function readTotal(replica: Replica): Promise<number | undefined> {
  const { status, json } = await ask(`${replica.url}/operator/${fleet()}/machines`);
  return status === 200 ? json<{ pagination: { total: number } }>().pagination.total : undefined;
}

async function untilListed(replica: Replica): Promise<void> {
  while ((await readTotal(replica)) !== 50) await new Promise((resolve) => setImmediate(resolve));
}

async function change(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: copy.url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

it('reads from the copy, from the database when the copy lags, and from the copy when it has caught up', async () => {
  expect(await readTotal(reader)).toBe(50);
  const owner = `decode('${fleet().slice(2)}', 'hex')`;
  await change(`UPDATE holders SET total = 7 WHERE holder = ${owner}`);
  const shown = await readTotal(reader);
  expect(shown).toBeLessThan(50);
  await change('UPDATE checkpoints SET block_number = block_number - 101');
  expect(await readTotal(reader)).toBe(50);
  await change('UPDATE checkpoints SET block_number = block_number + 101');
  expect(await readTotal(reader)).toBe(shown);
});

it('reads from the database when the copy is gone', async () => {
  await copy.drop();
  expect(await readTotal(reader)).toBe(50);
  expect(reader.lines.filter((line) => line.includes('lists are read from the database itself'))).toHaveLength(1);
});
