/**
 * PostgreSQL databases of the store contract, emptied after a test instead of dropped: the server takes far longer to create and drop one than to run
 * a test. Afterwards every table has exactly the rows that the migrations write.
 */
import pg from 'pg';
import type { PostgresServer, PostgresTestDatabase } from '../../harness/embedded-postgres.ts';
import type { TestDatabase } from '../store-contract.ts';

export interface EmptiedDatabases {
  /** Returns a database without connections that equals the template; `drop` empties it for the next caller. */
  create(): Promise<TestDatabase>;
  close(): Promise<void>;
}

/** Newest tables first: a table refers only to older ones. */
const EMPTYING = `DO $$ DECLARE each oid; name text; BEGIN
  FOR each, name IN SELECT oid, relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid DESC LOOP
    EXECUTE format('DELETE FROM public.%I', name);
  END LOOP;
  FOR each, name IN SELECT oid, relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'initial'::regnamespace ORDER BY oid LOOP
    EXECUTE format('INSERT INTO public.%I SELECT * FROM initial.%I', name, name);
  END LOOP;
END $$`;

/** Copies the rows of every table into the schema `initial`. */
const COPYING = `CREATE SCHEMA initial; DO $$ DECLARE each oid; name text; BEGIN
  FOR each, name IN SELECT oid, relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid LOOP
    EXECUTE format('CREATE TABLE initial.%I AS SELECT * FROM public.%I', name, name);
  END LOOP;
END $$`;

export function createEmptiedDatabases(server: PostgresServer, template: PostgresTestDatabase): EmptiedDatabases {
  const created: { readonly database: PostgresTestDatabase; readonly administration: pg.Client }[] = [];
  const free: TestDatabase[] = [];
  return {
    async create() {
      const emptied = free.pop();
      if (emptied !== undefined) return emptied;
      const database = await server.createDatabase(template);
      const administration = new pg.Client({ connectionString: database.url });
      await administration.connect();
      await administration.query(COPYING);
      created.push({ database, administration });
      const returned: TestDatabase = {
        url: database.url,
        async drop() {
          await administration.query(EMPTYING);
          free.push(returned);
        },
      };
      return returned;
    },
    async close() {
      for (const { database, administration } of created) {
        await administration.end();
        await database.drop();
      }
    },
  };
}
