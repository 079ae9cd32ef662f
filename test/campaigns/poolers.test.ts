/** Campaign: the store and the leader lock behind PgBouncer, which CI installs. `npm run campaigns -- poolers`. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLeaderLock } from '../../src/adapters/sql/leader-lock.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { Fault } from '../../src/domain/faults.ts';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { startPgbouncer, type Pooler, type PoolMode } from '../../testing/harness/pgbouncer.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startEmbeddedPostgres();
});
afterAll(() => server.stop());

let pooler: Pooler | undefined;
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
});

/** Returns the URL of an empty database behind a pooler. */
async function startPooler(mode: PoolMode, settings?: readonly string[]): Promise<string> {
  const database = await server.createDatabase();
  pooler = await startPgbouncer(database.url, mode, settings);
  return pooler.urlOf(database.name);
}

/** Opens the store and returns the codes that it reports before it fails. */
async function listFailures(url: string): Promise<string[]> {
  const codes: string[] = [];
  const opening = createStore(url, { reportFailure: (code) => void codes.push(code) });
  await expect(opening).rejects.toEqual(new Fault('StoreUnavailable', {}));
  return codes;
}

describe('PgBouncer in session mode', () => {
  it('serves a store, which sets its limits after connecting', async () => {
    const url = await startPooler('session');
    const store = await createStore(url);
    await store.checkWritable();
    await store.close();
  });

  it('holds the leader lock of one process, and frees it when that process releases it', async () => {
    const url = await startPooler('session');
    const [first, second] = [0, 1].map(() => createLeaderLock({ kind: 'postgres', url }, () => undefined)) as [
      ReturnType<typeof createLeaderLock>,
      ReturnType<typeof createLeaderLock>,
    ];
    expect([await first.acquire(), await second.acquire()]).toEqual([true, false]);
    await first.release();
    await expect.poll(() => second.acquire()).toBe(true);
    await second.release();
  });

  it('is refused with ETIMEDOUT when it has no second session', async () => {
    expect(await listFailures(await startPooler('session', ['default_pool_size = 1']))).toEqual(['ETIMEDOUT']);
  });
});

describe('PgBouncer in another mode', () => {
  it.each(
    [[], ['server_round_robin = 1'], ['default_pool_size = 1']].map(
      (settings) => [settings.join() || 'defaults', settings] as const,
    ),
  )('refuses transaction mode with its reason: %s', async (_name, settings) => {
    expect(await listFailures(await startPooler('transaction', settings))).toEqual(['TRANSACTION_POOLER']);
  });

  it('refuses statement mode, which has no transactions', async () => {
    expect(await listFailures(await startPooler('statement'))).toEqual(['08P01']);
  });
});
