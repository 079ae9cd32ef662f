/** Is a store in PostgreSQL what the port promises? Tried on the server of the package, and on one that the environment names. */
import { afterAll, beforeAll, describe } from 'vitest';
import { connectPostgres, startEmbeddedPostgres, type PostgresServer } from '../../../test/embedded-postgres.ts';
import { createStore } from './create-store.ts';
import { testStore } from './store-contract.ts';

const named = process.env['TEST_DATABASE_URL'];

const servers: readonly (readonly [string, () => Promise<PostgresServer>])[] = [
  ['embedded', startEmbeddedPostgres],
  ...(named === undefined ? [] : ([['named', async () => connectPostgres(named)]] as const)),
];

describe.each(servers)('PostgreSQL, %s', (_, start) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  testStore('a store', async () => {
    const database = await server.createDatabase();
    return { open: () => createStore(database.url), drop: () => database.drop() };
  });
});
