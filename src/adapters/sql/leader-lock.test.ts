/** Who holds the lock of the leader? Tried between connections of this process, which to the server are as good as processes. */
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

test('one of many holds it, and keeps it however often it is asked', async () => {
  const [one, two, three] = [open(), open(), open()];
  expect([await one.acquire(), await two.acquire(), await three.acquire()]).toEqual([true, false, false]);
  expect([await one.acquire(), await one.acquire(), await two.acquire()]).toEqual([true, true, false]);
});

test('given up, it is free at once, also after it was confirmed many times', async () => {
  const [one, two] = [open(), open()];
  for (let i = 0; i < 3; i++) await one.acquire();
  await one.release();
  expect([await two.acquire(), await one.acquire()]).toEqual([true, false]);
});

test('a holder whose connection the server ended does not believe in it, and another gets it', async () => {
  const [one, two] = [open(), open()];
  await one.acquire();
  await administer(`SELECT pg_terminate_backend(pid, 5000) ${OTHERS}`);
  expect(await two.acquire()).toBe(true);
  // Told by the loss itself or by the next question, whichever comes first.
  const told = await one.acquire().catch((error: unknown) => error);
  expect([false, new Fault('StoreUnavailable', {})]).toContainEqual(told);
  expect(await one.acquire()).toBe(false);
});

test('databases of one server have leaders of their own', async () => {
  const other = await server.createDatabase();
  const [one, two] = [open(), open(other.url)];
  expect([await one.acquire(), await two.acquire()]).toEqual([true, true]);
  await two.release();
  await other.drop();
});

test('a server that is not there is a failure of the store, told by its code', async () => {
  const url = new URL(database.url);
  url.searchParams.set('host', '/nowhere');
  await expect(open(url.href).acquire()).rejects.toEqual(new Fault('StoreUnavailable', {}));
  expect(codes).toEqual(['ENOENT']);
});

test('a file is its one process’s own', async () => {
  const lock = createLeaderLock({ kind: 'sqlite', path: ':memory:' }, () => undefined);
  expect(await lock.acquire()).toBe(true);
  await lock.release();
});
