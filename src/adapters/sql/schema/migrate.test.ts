/** Tests that migrations are applied once, in order and atomically. */
import { expect, test } from 'vitest';
import { Fault } from '../../../domain/faults.ts';
import { migrate, SchemaTooOld } from './migrate.ts';
import type { Migration } from './migrations.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { readRows, type Query } from '../engine/sql-program.ts';

const first: Migration = { name: 'first', statements: () => ['CREATE TABLE a (x)', 'CREATE TABLE b (x)'] };
const second: Migration = { name: 'second', statements: () => ['DROP TABLE b', 'CREATE TABLE c (x)'] };
const broken: Migration = { name: 'broken', statements: () => ['CREATE TABLE d (x)', 'DROP TABLE nothing'] };

function createDatabase() {
  const database = openSqlite(':memory:', () => undefined);
  const read = <Row>(sql: string) => database.run(readRows<Row>({ sql, parameters: [] } satisfies Query as Query<Row>));
  return {
    migrate: (...migrations: readonly Migration[]) => database.upgrade(migrate(database.dialect, migrations)),
    create: (...migrations: readonly Migration[]) => database.upgrade(migrate(database.dialect, migrations, false)),
    async listTables() {
      const rows = await read<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
      return rows.map(({ name }) => name).filter((name) => name !== 'schema_migrations');
    },
    listApplied: () => read('SELECT version, name FROM schema_migrations ORDER BY version'),
  };
}

test('applies migrations in order and records them', async () => {
  const database = createDatabase();
  await database.migrate(first, second);
  expect(await database.listTables()).toEqual(['a', 'c']);
  expect(await database.listApplied()).toEqual([
    { version: 1, name: 'first' },
    { version: 2, name: 'second' },
  ]);
});

test('skips applied migrations', async () => {
  const database = createDatabase();
  await database.migrate(first);
  await database.migrate(first);
  await database.migrate(first, second);
  await database.migrate(first, second);
  expect(await database.listTables()).toEqual(['a', 'c']);
});

test('rolls back every migration of a failed run', async () => {
  const database = createDatabase();
  await database.migrate(first);
  await expect(database.migrate(first, second, broken)).rejects.toEqual(new Fault('StoreUnavailable', {}));
  expect(await database.listTables()).toEqual(['a', 'b']);
  expect(await database.listApplied()).toEqual([{ version: 1, name: 'first' }]);
});

test('leaves the tables of an earlier release alone when only tables may be created', async () => {
  const database = createDatabase();
  await database.create(first);
  await expect(database.create(first, second)).rejects.toBeInstanceOf(SchemaTooOld);
  expect(await database.listTables()).toEqual(['a', 'b']);
  await database.migrate(first, second);
  await database.create(first, second);
  expect(await database.listTables()).toEqual(['a', 'c']);
});
