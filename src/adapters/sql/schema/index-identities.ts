/** Identities of the deployments that the indexes of a database claimed, for comparison with another database. */
import type { Query, SqlDatabase, SqlProgram } from '../engine/sql-program.ts';
import { readRows } from '../engine/sql-program.ts';

export function createIdentities(database: SqlDatabase): { readIdentities(): Promise<string> } {
  const all = database.dialect.builder
    .selectFrom('index_identities')
    .select(['stream', 'identity'])
    .orderBy('stream')
    .compile() as Query as Query<{ stream: string; identity: string }>;

  function* read(): SqlProgram<string> {
    const rows = yield* readRows(all);
    return rows.map(({ stream, identity }) => `${stream} ${identity}\n`).join('');
  }

  return { readIdentities: () => database.run(read()) };
}
