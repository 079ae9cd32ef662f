/** Schema migration. Runs in one exclusive transaction, so that concurrent starts migrate once. */
import { sql } from 'kysely';
import type { Dialect } from '../engine/dialect.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import type { Query, SqlProgram } from '../engine/sql-program.ts';
import { execute, readFirst } from '../engine/sql-program.ts';

/** Error of a database migrated by a newer release. */
export class SchemaTooNew extends Error {
  readonly code = 'SCHEMA_TOO_NEW';
}

/** Error of a database with the tables of an earlier release, which were not to be migrated. */
export class SchemaTooOld extends Error {
  readonly code = 'SCHEMA_TOO_OLD';
}

/**
 * Applies every migration after the recorded ones. Throws `SchemaTooNew`. Without `migratesOlder`, tables are created in an empty database
 * only, and those of an earlier release throw `SchemaTooOld`.
 */
export function* migrate(
  dialect: Dialect,
  migrations: readonly Migration[] = MIGRATIONS,
  migratesOlder = true,
): SqlProgram<void> {
  const { columns, table, builder } = dialect;
  yield* execute(
    statement(
      `CREATE TABLE IF NOT EXISTS schema_migrations (version ${columns.small} NOT NULL PRIMARY KEY, name ${columns.text} NOT NULL) ${table}`,
    ),
  );
  const newest: Query<{ version: number | null }> = builder
    .selectFrom('schema_migrations')
    .select(sql<number | null>`max(version)`.as('version'))
    .compile() as Query<{ version: number | null }>;
  const applied = (yield* readFirst(newest))?.version ?? 0;
  if (applied > migrations.length) throw new SchemaTooNew();
  if (!migratesOlder && applied > 0 && applied < migrations.length) throw new SchemaTooOld();
  for (const [index, { name, statements }] of migrations.entries()) {
    const version = index + 1;
    if (version <= applied) continue;
    for (const text of statements(dialect)) yield* execute(statement(text));
    yield* execute(builder.insertInto('schema_migrations').values({ version, name }).compile() as Query);
  }
}

function statement(text: string): Query {
  return { sql: text, parameters: [] };
}
