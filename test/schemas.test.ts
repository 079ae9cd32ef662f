/**
 * Can the database of every release so far become that of this one, with all that stands in it, whoever starts first? From dumps in `test/schemas`, in both databases, by two processes at
 * once; no step that a release contained has changed since.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore } from '../src/adapters/sql/create-store.ts';
import { postgresDialect, sqliteDialect } from '../src/adapters/sql/engine/dialect.ts';
import { MIGRATIONS } from '../src/adapters/sql/schema/migrations.ts';
import { startEmbeddedPostgres, type PostgresServer } from '../testing/harness/embedded-postgres.ts';
import { fillStore, readFilled } from './schemas/fill-store.ts';
import {
  FIRST_VERSION,
  listStatements,
  pathOfDump,
  readDump,
  restorePostgres,
  restoreSqlite,
  type SchemaDump,
} from './schemas/schema-dump.ts';

const STARTING = join(import.meta.dirname, '../testing/contracts/store/writing-process.ts');
const VERSIONS = Array.from({ length: MIGRATIONS.length - FIRST_VERSION + 1 }, (_, index) => FIRST_VERSION + index);
const KEPT = VERSIONS.filter((version) => existsSync(pathOfDump(version)));

let folder: string;
let server: PostgresServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'schemas-'));
  server = await startEmbeddedPostgres();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Kind {
  /** Makes a database out of a dump, or an empty one; its URL. */
  create(dump?: SchemaDump): Promise<string>;
  /** Every table, column, index and constraint. */
  describe(url: string): Promise<object>;
}

let files = 0;
const KINDS: Readonly<Record<string, Kind>> = {
  SQLite: {
    async create(dump) {
      const file = join(folder, `${(files += 1)}.db`);
      if (dump !== undefined) restoreSqlite(file, dump);
      return `sqlite:${file}`;
    },
    async describe(url) {
      const connection = new Sqlite(url.slice('sqlite:'.length));
      const found = connection.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
      connection.close();
      return found;
    },
  },
  PostgreSQL: {
    async create(dump) {
      const { url } = await server.createDatabase();
      if (dump !== undefined) await restorePostgres(url, dump);
      return url;
    },
    async describe(url) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows: columns } = await client.query(
        `SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
         WHERE table_schema = 'public' ORDER BY table_name, column_name`,
      );
      const { rows: indexes } = await client.query(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexdef",
      );
      const { rows: constraints } = await client.query(
        `SELECT conrelid::regclass::text AS of, pg_get_constraintdef(oid) AS rule FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
      );
      await client.end();
      return { columns, indexes, constraints };
    },
  },
};

const fresh = new Map<Kind, Promise<object>>();

/** What a database is that this release made and filled. */
function describeFresh(kind: Kind): Promise<object> {
  const describing = fresh.get(kind) ?? fillFresh(kind);
  fresh.set(kind, describing);
  return describing;
}

async function fillFresh(kind: Kind): Promise<object> {
  const url = await kind.create();
  const store = await createStore(url);
  await fillStore(store);
  const described = { filled: await readFilled(store), schema: await kind.describe(url) };
  await store.close();
  return described;
}

/** As a service does that starts; resolves when both are told to, and have ended. */
async function startTwoAtOnce(url: string): Promise<(number | null)[]> {
  const children = [1, 2].map(() =>
    spawn(process.execPath, [STARTING, url, '0'], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const ended = children.map((child) => once(child, 'exit').then(([code]) => code as number | null));
  await Promise.all(children.map((child) => once(createInterface(child.stdout), 'line')));
  for (const child of children) child.stdin.write('go\n');
  return Promise.all(ended);
}

it('a dump is kept of every version (node test/schemas/schema-dump.ts)', () => {
  expect(KEPT).toEqual(VERSIONS);
});

describe.each(KEPT)('version %i', (version) => {
  it('has the migrations that this tree has', () => {
    const { sqlite, postgres } = readDump(version);
    expect(listStatements(sqliteDialect, version)).toEqual(sqlite);
    expect(listStatements(postgresDialect, version)).toEqual(postgres);
  });

  it('has something in every table', () => {
    const empty = readDump(version).tables.filter(({ rows }) => rows.length === 0);
    expect(empty.map(({ name }) => name)).toEqual([]);
  });

  it.each(Object.entries(KINDS))(
    'becomes this release with all that stands in it: %s',
    async (_name, kind) => {
      const url = await kind.create(readDump(version));
      expect(await startTwoAtOnce(url)).toEqual([0, 0]);
      const store = await createStore(url);
      const become = { filled: await readFilled(store), schema: await kind.describe(url) };
      await store.close();
      expect(become).toEqual(await describeFresh(kind));
    },
    120_000,
  );
});
