/** Which migrations does this database still need? Run inside one exclusive transaction: two processes that start at once do it once. */
import { sql } from 'kysely';
import type { Dialect } from '../engine/dialect.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import type { Query, SqlProgram } from '../engine/sql-program.ts';
import { execute, readFirst } from '../engine/sql-program.ts';

/** The database was made by a newer release, whose tables this one does not know. */
export class SchemaTooNew extends Error {
  readonly code = 'SCHEMA_TOO_NEW';
}

/** Takes every migration after the recorded ones. Throws `SchemaTooNew`. */
export function* migrate(dialect: Dialect, migrations: readonly Migration[] = MIGRATIONS): SqlProgram<void> {
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
  const done = (yield* readFirst(newest))?.version ?? 0;
  if (done > migrations.length) throw new SchemaTooNew();
  for (const [index, { name, statements }] of migrations.entries()) {
    const version = index + 1;
    if (version <= done) continue;
    for (const text of statements(dialect)) yield* execute(statement(text));
    yield* execute(builder.insertInto('schema_migrations').values({ version, name }).compile() as Query);
  }
}

function statement(text: string): Query {
  return { sql: text, parameters: [] };
}
