/** Write check of the database for readiness; a read would not detect a full disk or a standby. */
import { prepareQuery } from './prepared-query.ts';
import { execute, type SqlDatabase } from './sql-program.ts';

export function createWriteCheck(database: SqlDatabase): () => Promise<void> {
  const write = prepareQuery({}, () =>
    database.dialect.builder
      .insertInto('write_probe')
      .values({ only_row: 1, writes: 1 })
      .onConflict((conflict) =>
        conflict.column('only_row').doUpdateSet((set) => ({ writes: set('write_probe.writes', '+', 1) })),
      ),
  );
  return async () => {
    await database.run(execute(write({})));
  };
}
