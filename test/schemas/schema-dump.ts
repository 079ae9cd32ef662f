/**
 * Dumps of the databases of earlier releases, stored as `schema-<version>.json`: the statements that create them, in both dialects, and rows in
 * their tables. A version is a number of migrations. `node test/schemas/schema-dump.ts` writes the missing dumps of this tree.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { postgresDialect, sqliteDialect, type Dialect } from '../../src/adapters/sql/engine/dialect.ts';
import { migrate } from '../../src/adapters/sql/schema/migrate.ts';
import { MIGRATIONS } from '../../src/adapters/sql/schema/migrations.ts';
import { statementOf, type Query, type SqlValue } from '../../src/adapters/sql/engine/sql-program.ts';
import { fillStore } from './fill-store.ts';

interface Statement {
  readonly sql: string;
  readonly parameters: readonly StoredValue[];
}

/** Value as JSON, with bytes in hexadecimal. */
type StoredValue = string | number | null | { readonly hex: string };

export interface SchemaDump {
  readonly sqlite: readonly Statement[];
  readonly postgres: readonly Statement[];
  /** In the order of creation. */
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly StoredValue[])[];
  }[];
}

const FOLDER = import.meta.dirname;

export function pathOfDump(version: number): string {
  return join(FOLDER, `schema-${version}.json`);
}

export function readDump(version: number): SchemaDump {
  return JSON.parse(readFileSync(pathOfDump(version), 'utf8')) as SchemaDump;
}

/** Returns the statements that create the tables of a version. */
export function listStatements(dialect: Dialect, version: number): Statement[] {
  const statements: Statement[] = [];
  const work = migrate(dialect, MIGRATIONS.slice(0, version));
  for (let step = work.next(); step.done !== true; step = work.next({ rows: [], changes: 0 })) {
    const { sql, parameters } = statementOf(step.value) as Query;
    if (!sql.startsWith('select')) statements.push({ sql, parameters: parameters.map(toStored) });
  }
  return statements;
}

/** Creates the dump of a version, with the rows that this tree writes to the tables and columns of that version. */
export async function createDump(version: number): Promise<SchemaDump> {
  const folder = mkdtempSync(join(tmpdir(), 'schema-'));
  try {
    const statements = {
      sqlite: listStatements(sqliteDialect, version),
      postgres: listStatements(postgresDialect, version),
    };
    restoreSqlite(join(folder, 'old.db'), { ...statements, tables: [] });
    const filled = join(folder, 'filled.db');
    const store = await createStore(`sqlite:${filled}`);
    await fillStore(store);
    await store.close();
    const [old, newest] = [new Sqlite(join(folder, 'old.db')), new Sqlite(filled)];
    const names = old
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations' ORDER BY rootpage")
      .pluck();
    const tables = (names.all() as string[]).map((name) => {
      const columns = old.prepare(`SELECT name FROM pragma_table_info('${name}')`).pluck().all() as string[];
      const rows = newest
        .prepare(`SELECT ${columns.join(', ')} FROM ${name}`)
        .raw()
        .all() as SqlValue[][];
      return { name, columns, rows: rows.map((row) => row.map(toStored)) };
    });
    old.close();
    newest.close();
    return { ...statements, tables };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function restoreSqlite(path: string, { sqlite, tables }: SchemaDump): void {
  const connection = new Sqlite(path);
  connection.pragma('journal_mode = WAL');
  for (const { sql, parameters } of sqlite) connection.prepare(sql).run(...parameters.map(fromStored));
  for (const { name, columns, rows } of tables) {
    // A migration may have inserted rows into the empty database.
    connection.prepare(`DELETE FROM ${name}`).run();
    const insert = connection.prepare(
      `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const row of rows) insert.run(...row.map(fromStored));
  }
  connection.close();
}

export async function restorePostgres(url: string, { postgres, tables }: SchemaDump): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const { sql, parameters } of postgres) await client.query(sql, parameters.map(fromStored));
  for (const { name, columns, rows } of tables) {
    await client.query(`DELETE FROM ${name}`);
    const places = columns.map((_, index) => `$${index + 1}`).join(', ');
    const sql = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})`;
    for (const row of rows) await client.query(sql, row.map(fromStored));
  }
  await client.end();
}

function toStored(value: SqlValue): StoredValue {
  return value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value;
}

function fromStored(value: StoredValue): string | number | null | Buffer {
  return typeof value === 'object' && value !== null ? Buffer.from(value.hex, 'hex') : value;
}

/** Writes the dump of a version unless it exists: a released version never changes. */
async function writeMissingDump(version: number): Promise<void> {
  if (existsSync(pathOfDump(version))) return;
  writeFileSync(pathOfDump(version), `${JSON.stringify(await createDump(version), undefined, 1)}\n`);
  process.stdout.write(`${pathOfDump(version)}\n`);
}

/** Oldest version with a dump. */
export const FIRST_VERSION = 6;

if (import.meta.main) {
  for (let version = FIRST_VERSION; version <= MIGRATIONS.length; version++) await writeMissingDump(version);
}
