/** Tests the leader lock between connections of this process, which the server treats like separate processes. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../../testing/harness/embedded-postgres.ts';
import { Fault } from '../../domain/faults.ts';
import type { LeaderLock } from '../../ports/runtime.ts';
import { createLeaderLock } from './leader-lock.ts';

let server: PostgresServer;
let database: PostgresTestDatabase;
let codes: string[];
let locks: LeaderLock[];
beforeAll(async () => {
  server = await startEmbeddedPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await server.createDatabase();
  codes = [];
  locks = [];
});
afterEach(async () => {
  for (const lock of locks) await lock.release();
  await database.drop();
});

function open(url = database.url): LeaderLock {
  const lock = createLeaderLock({ kind: 'postgres', url }, (code) => codes.push(code));
  locks.push(lock);
  return lock;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

const OTHERS = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

test('is held by one of several, however often acquire() is called', async () => {
  const [one, two, three] = [open(), open(), open()];
  expect([await one.acquire(), await two.acquire(), await three.acquire()]).toEqual([true, false, false]);
  expect([await one.acquire(), await one.acquire(), await two.acquire()]).toEqual([true, true, false]);
});

test('is free at once after release(), even after several calls of acquire()', async () => {
  const [one, two] = [open(), open()];
  for (let i = 0; i < 3; i++) await one.acquire();
  await one.release();
  expect([await two.acquire(), await one.acquire()]).toEqual([true, false]);
});

test('is lost when the server closes the connection, and another one acquires it', async () => {
  const [one, two] = [open(), open()];
  await one.acquire();
  await administer(`SELECT pg_terminate_backend(pid, 5000) ${OTHERS}`);
  expect(await two.acquire()).toBe(true);
  // Reported by the connection event or by the next query, whichever comes first.
  const outcome = await one.acquire().catch((error: unknown) => error);
  expect([false, new Fault('StoreUnavailable', {})]).toContainEqual(outcome);
  expect(await one.acquire()).toBe(false);
});

test('is separate for each database of a server', async () => {
  const other = await server.createDatabase();
  const [one, two] = [open(), open(other.url)];
  expect([await one.acquire(), await two.acquire()]).toEqual([true, true]);
  await two.release();
  await other.drop();
});

test('throws StoreUnavailable for an unreachable server and reports its code', async () => {
  const url = new URL(database.url);
  url.searchParams.set('host', '/nowhere');
  await expect(open(url.href).acquire()).rejects.toEqual(new Fault('StoreUnavailable', {}));
  expect(codes).toEqual(['ENOENT']);
});

test('is always held for a SQLite file', async () => {
  const lock = createLeaderLock({ kind: 'sqlite', path: ':memory:' }, () => undefined);
  expect(await lock.acquire()).toBe(true);
  await lock.release();
});
