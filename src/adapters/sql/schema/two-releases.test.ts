/** Migration by two starters of different releases at once: the newer one always succeeds, and the older one never changes its tables. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres, type PostgresServer } from '../../../../testing/harness/embedded-postgres.ts';
import { openPostgres } from '../engine/postgres.ts';
import { readRows, type Query, type SqlDatabase } from '../engine/sql-program.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { migrate, SchemaTooNew } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';

const OLDER = MIGRATIONS.slice(0, -1);
const VERSIONS = MIGRATIONS.map((_, index) => index + 1);
const ignore = () => undefined;

let folder: string;
let server: PostgresServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'two-releases-'));
  server = await startEmbeddedPostgres();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

let files = 0;
/** Returns a function that opens one new database as often as it is called. */
const ENGINES: Readonly<Record<string, () => Promise<() => SqlDatabase>>> = {
  SQLite: () => {
    const path = join(folder, `${files++}.db`);
    return Promise.resolve(() => openSqlite(path, ignore));
  },
  PostgreSQL: async () => {
    const { url } = await server.createDatabase();
    return () => openPostgres(url, ignore);
  },
};

describe.each(Object.entries(ENGINES))('on %s', (_engine, create) => {
  it.each([
    ['the older release first', [OLDER, MIGRATIONS]],
    ['the newer release first', [MIGRATIONS, OLDER]],
  ])('ends with the newest tables: %s', async (_order, releases) => {
    const open = await create();
    const databases = releases.map(() => open());
    const starts = await Promise.allSettled(
      databases.map((database, i) => database.upgrade(migrate(database.dialect, releases[i]))),
    );
    for (const [i, start] of starts.entries()) {
      if (releases[i] === MIGRATIONS) expect(start.status).toBe('fulfilled');
      else if (start.status === 'rejected') expect(start.reason).toBeInstanceOf(SchemaTooNew);
    }
    const [database] = databases;
    const applied = { sql: 'SELECT version FROM schema_migrations ORDER BY version', parameters: [] } satisfies Query;
    const rows = await database!.run(readRows<{ version: number }>(applied as Query<{ version: number }>));
    expect(rows.map(({ version }) => version)).toEqual(VERSIONS);
    await expect(database!.upgrade(migrate(database!.dialect, OLDER))).rejects.toBeInstanceOf(SchemaTooNew);
    await Promise.all(databases.map((each) => each.close()));
  });
});
