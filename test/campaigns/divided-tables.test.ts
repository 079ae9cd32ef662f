/** Campaign: the store contract on PostgreSQL with partitioned large tables (`bench/growth/partitions.ts`). */
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { listStatements } from '../../bench/growth/partitions.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { testStore } from '../../testing/contracts/store-contract.ts';
import {
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../testing/harness/embedded-postgres.ts';

const PARTS = Number(process.env['PARTS'] ?? 16);

describe(`PostgreSQL with tables in ${PARTS} parts`, () => {
  let server: PostgresServer;
  let divided: PostgresTestDatabase;
  beforeAll(async () => {
    server = await startEmbeddedPostgres();
    divided = await server.createDatabase();
    await (await createStore(divided.url)).close();
    const client = new pg.Client({ connectionString: divided.url });
    await client.connect();
    for (const statement of listStatements(PARTS)) await client.query(statement);
    await client.end();
  });
  afterAll(() => server.stop());

  testStore('a store', { create: (content) => server.createDatabase(content === 'tables' ? divided : undefined) });
});
