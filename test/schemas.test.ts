/**
 * Schema migrations from every earlier release, with all content. The dumps in `test/schemas` are migrated in both databases by two concurrent
 * processes. No migration of a release has changed since.
 */
import { spawn } from 'node:child_process';
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
import {
  fillDecisionChain,
  fillChanges,
  fillDirectory,
  fillMainIndex,
  fillNodeProfiles,
  fillPayments,
  fillStore,
  readFilled,
} from './schemas/fill-store.ts';
import {
  FIRST_VERSION,
  listStatements,
  pathOfDump,
  readDump,
  restorePostgres,
  restoreSqlite,
  type SchemaDump,
} from './schemas/schema-dump.ts';

const VERSIONS = Array.from({ length: MIGRATIONS.length - FIRST_VERSION + 1 }, (_, index) => FIRST_VERSION + index);
const STORED = VERSIONS.filter((version) => existsSync(pathOfDump(version)));

let folder: string;
let server: PostgresServer;
let processes: readonly OpeningProcess[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'schemas-'));
  processes = [startOpeningProcess(), startOpeningProcess()];
  server = await startEmbeddedPostgres();
});
afterAll(async () => {
  for (const each of processes) each.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Kind {
  /** Creates a database from a dump, or an empty one, and returns its URL. */
  create(dump?: SchemaDump): Promise<string>;
  /** Returns every table, column, index and constraint. */
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

/** Returns content and schema of a database that this release created and filled. */
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

interface OpeningProcess {
  /** Opens and closes the database. Resolves with `opened`, with the error, or with undefined when the process died. */
  open(url: string): Promise<string | undefined>;
  stop(): void;
}

function startOpeningProcess(): OpeningProcess {
  const script = join(import.meta.dirname, 'schemas/opening-process.ts');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async open(url) {
      child.stdin.write(`${url}\n`);
      return (await lines.next()).value;
    },
    stop: () => child.stdin.end(),
  };
}

/** From this version on the index of the main chain has the logs of bonds, flags and overrides; an older one starts again. */
const FACT_LOGS_VERSION = 17;
/** First version with profiles of nodes. */
const PROFILES_VERSION = 12;
/** The first version with payments. */
const PAYMENTS_VERSION = 13;
/** The first version with chains of decisions. */
const CHAINS_VERSION = 16;
/** First version with changes and webhooks. */
const CHANGES_VERSION = 18;
/** First version with the directory. */
const DIRECTORY_VERSION = 19;

it('has a stored dump of every version (node test/schemas/schema-dump.ts)', () => {
  expect(STORED).toEqual(VERSIONS);
});

describe.each(STORED)('version %i', (version) => {
  it('has the migrations of this tree', () => {
    const { sqlite, postgres } = readDump(version);
    expect(listStatements(sqliteDialect, version)).toEqual(sqlite);
    expect(listStatements(postgresDialect, version)).toEqual(postgres);
  });

  it('has rows in every table', () => {
    const empty = readDump(version).tables.filter(({ rows }) => rows.length === 0);
    expect(empty.map(({ name }) => name)).toEqual([]);
  });

  it.each(Object.entries(KINDS))(
    'migrates to this release with all content on %s',
    async (_name, kind) => {
      const url = await kind.create(readDump(version));
      // Like two services that start at once.
      expect(await Promise.all(processes.map(({ open }) => open(url)))).toEqual(['opened', 'opened']);
      const store = await createStore(url);
      if (version < FACT_LOGS_VERSION) {
        expect(await store.readMainChainCheckpoint()).toBeUndefined();
        await fillMainIndex(store);
      }
      if (version < PROFILES_VERSION) await fillNodeProfiles(store);
      if (version < PAYMENTS_VERSION) await fillPayments(store);
      if (version < CHAINS_VERSION) await fillDecisionChain(store);
      if (version < CHANGES_VERSION) await fillChanges(store);
      else if (version < DIRECTORY_VERSION) await fillDirectory(store);
      const migrated = { filled: await readFilled(store), schema: await kind.describe(url) };
      await store.close();
      expect(migrated).toEqual(await describeFresh(kind));
    },
    120_000,
  );
});
