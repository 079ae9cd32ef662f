/** Runs the store contract on PostgreSQL: on the embedded server, and on the one that `TEST_DATABASE_URL` names. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  connectPostgres,
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../../testing/harness/embedded-postgres.ts';
import { Fault } from '../../domain/faults.ts';
import type { Store } from '../../ports/store.ts';
import { createStore } from './create-store.ts';
import { openPostgres } from './engine/postgres.ts';
import { execute, readFirst, readRows, type Query, type SqlDatabase } from './engine/sql-program.ts';
import { testStore } from '../../../testing/contracts/store-contract.ts';
import { createEmptiedDatabases, type EmptiedDatabases } from '../../../testing/contracts/store/emptied-databases.ts';
import { append, checkpointAt, id, NO_OWNERSHIP, submitted } from '../../../testing/contracts/store/samples.ts';

const named = process.env['TEST_DATABASE_URL'];

const servers: readonly (readonly [string, () => Promise<PostgresServer>])[] = [
  ['embedded', startEmbeddedPostgres],
  ...(named === undefined ? [] : ([['named', async () => connectPostgres(named)]] as const)),
];

const failure = new Fault('StoreUnavailable', {});

describe.each(servers)('PostgreSQL, %s', (_, start) => {
  let server: PostgresServer;
  let withTables: PostgresTestDatabase;
  let emptied: EmptiedDatabases;
  beforeAll(async () => {
    server = await start();
    withTables = await server.createDatabase();
    await (await createStore(withTables.url)).close();
    emptied = createEmptiedDatabases(server, withTables);
  });
  afterAll(async () => {
    await emptied.close();
    await withTables.drop();
    await server.stop();
  });

  testStore('a store', {
    create: (content) => (content === 'tables' ? emptied.create() : server.createDatabase()),
  });

  describe('the driver', () => {
    let database: PostgresTestDatabase;
    let store: Store;
    let administration: pg.Client;
    let codes: string[];
    let onReport: () => void;

    beforeEach(async () => {
      database = await server.createDatabase(withTables);
      codes = [];
      onReport = () => undefined;
      store = await open();
      administration = new pg.Client({ connectionString: database.url });
      await administration.connect();
    });
    afterEach(async () => {
      await store.close();
      await administration.end();
      await database.drop();
    });

    function open(settings: Readonly<Record<string, string>> = {}): Promise<Store> {
      const url = new URL(database.url);
      for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value);
      return createStore(url.href, {
        reportFailure(code) {
          codes.push(code);
          onReport();
        },
      });
    }

    test.each(['transaction', 'exclusive', 'upgrade'] as const)(
      'lets the statements of a write (%s) see what others committed, whatever the default of the server',
      async (method) => {
        const url = new URL(database.url);
        url.searchParams.set('options', '-c default_transaction_isolation=repeatable\\ read');
        const connected = openPostgres(url.href, () => undefined);
        const query: Query<{ transaction_isolation: string }> = { sql: 'SHOW transaction_isolation', parameters: [] };
        const isolation = await connected[method](readFirst(query)).finally(() => connected.close());
        expect(isolation).toEqual({ transaction_isolation: 'read committed' });
      },
    );

    test('rolls back a transaction whose connection the server closes, and continues', async () => {
      await append(store, submitted(id(7)));
      await administration.query(`
        CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END $$;
        CREATE TRIGGER die AFTER INSERT ON event_logs EXECUTE FUNCTION die()`);
      await expect(append(store, submitted(id(7)), submitted(id(8)))).rejects.toEqual(failure);
      // Statements sent ahead may notice the closed connection before the server's reason is read.
      expect(['57P01', 'ECONNRESET']).toContain(codes[0]);
      await administration.query('DROP TRIGGER die ON event_logs');

      expect(await store.readMainChainCheckpoint()).toEqual(checkpointAt(1));
      expect(await store.readEventLogCount('current', id(7))).toEqual({ count: 1, epoch: 0 });
      expect(await store.readEventLogCount('current', id(8))).toEqual({ count: 0, epoch: 0 });
      await append(store, submitted(id(7)));
      expect(await store.readEventLogCount('current', id(7))).toEqual({ count: 2, epoch: 0 });
    });

    /** Closes every connection of the store; resolves when the store has reported it. */
    async function endConnections(): Promise<void> {
      const isReported = new Promise<void>((resolve) => {
        onReport = resolve;
      });
      await administration.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      await isReported;
    }

    test('reports closed idle connections and reconnects', async () => {
      await store.readMainChainCheckpoint();
      await endConnections();
      expect(codes).toEqual(['57P01']);
      expect(await store.readMainChainCheckpoint()).toBeUndefined();
    });

    test('fails writes and serves reads on a read-only server', async () => {
      await store.checkWritable();
      await administration.query(`ALTER DATABASE ${database.name} SET default_transaction_read_only = on`);
      await endConnections();
      await expect(store.checkWritable()).rejects.toEqual(failure);
      expect(codes).toEqual(['57P01', '25006']);
      expect(await store.readMainChainCheckpoint()).toBeUndefined();
    });

    test('limits statements and idle transactions of every connection', async () => {
      const connected = openPostgres(database.url, () => undefined);
      const names = ['statement_timeout', 'idle_in_transaction_session_timeout', 'enable_seqscan'];
      const sql = `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
      expect(await connected.run(readFirst({ sql, parameters: [] }))).toEqual({
        statement_timeout: '15s',
        idle_in_transaction_session_timeout: '10s',
        enable_seqscan: 'off',
      });
      await connected.close();
    });

    test('throws StoreUnavailable when a statement times out', async () => {
      const impatient = await open({ statement_timeout: '50' });
      await administration.query('BEGIN');
      await administration.query('LOCK TABLE checkpoints');
      await expect(impatient.advanceMainChain(undefined, checkpointAt(1), [], NO_OWNERSHIP)).rejects.toEqual(failure);
      expect(codes).toEqual(['57014']);
      await administration.query('ROLLBACK');
      expect(await impatient.advanceMainChain(undefined, checkpointAt(1), [], NO_OWNERSHIP)).toBe(true);
      await impatient.close();
    });

    describe('a transaction with statements that nothing waits for', () => {
      const statement = (sql: string, ...parameters: string[]) => execute({ sql, parameters });
      const insert = (name: string) => statement('INSERT INTO names VALUES ($1)', name);
      const listNames = function* () {
        const rows = yield* readRows<{ name: string }>({ sql: 'SELECT name FROM names ORDER BY name', parameters: [] });
        return rows.map(({ name }) => name);
      };
      const STATEMENT_TIMEOUT_MILLISECONDS = 5_000;
      let connected: SqlDatabase;
      beforeEach(async () => {
        await administration.query('CREATE TABLE names (name TEXT PRIMARY KEY)');
        const report = (code: string) => codes.push(code);
        connected = openPostgres(database.url, report, STATEMENT_TIMEOUT_MILLISECONDS);
      });
      afterEach(() => connected.close());

      test('runs them in order before a statement that is waited for', async () => {
        const names = await connected.transaction(
          (function* () {
            for (let k = 10; k < 40; k++) yield* insert(`${k}`);
            yield* statement("DELETE FROM names WHERE name < '38'");
            return yield* listNames();
          })(),
        );
        expect(names).toEqual(['38', '39']);
        expect(await connected.run(listNames())).toEqual(['38', '39']);
      });

      test.each([1, 2, 20])(
        'stores none of them when number %i of 20 fails, and reports its failure',
        async (failing) => {
          const failed = connected.transaction(
            (function* () {
              for (let k = 1; k <= 20; k++) yield* k === failing ? statement('SELECT 1 / 0') : insert(`${k}`);
            })(),
          );
          await expect(failed).rejects.toEqual(failure);
          expect(codes).toEqual(['22012']);
          expect(await connected.run(listNames())).toEqual([]);
        },
      );

      test('stores none of them when the program throws', async () => {
        const failed = connected.transaction(
          (function* () {
            yield* insert('1');
            yield* listNames();
            yield* insert('2');
            throw new RangeError('of the program');
          })(),
        );
        await expect(failed).rejects.toThrow(new RangeError('of the program'));
        expect(await connected.run(listNames())).toEqual([]);
      });

      test('lets each of them take as long as a single statement may', async () => {
        const slow = `SELECT pg_sleep(${(0.55 * STATEMENT_TIMEOUT_MILLISECONDS) / 1000})`;
        await connected.transaction(
          (function* () {
            yield* statement(slow);
            yield* statement(slow);
            yield* insert('1');
          })(),
        );
        expect(await connected.run(listNames())).toEqual(['1']);
      });
    });

    test('rejects a database of a newer release', async () => {
      await administration.query("INSERT INTO schema_migrations (version, name) VALUES (1000, 'of a newer release')");
      await expect(open()).rejects.toEqual(failure);
      expect(codes).toEqual(['SCHEMA_TOO_NEW']);
    });

    test('reports an unreachable server without its address', async () => {
      await expect(open({ host: '/nowhere' })).rejects.toEqual(failure);
      expect(codes).toEqual(['ENOENT']);
    });
  });
});
