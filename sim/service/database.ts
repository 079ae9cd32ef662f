/**
 * Database of a process that dies at a statement: right before any write, inside or outside of a transaction, or right
 * after a commit whose result is never reported. The database survives; uncommitted changes do not.
 */
import { openSqlite } from '../../src/adapters/sql/engine/sqlite.ts';
import { statementOf } from '../../src/adapters/sql/engine/sql-program.ts';
import type { Result, SqlDatabase, SqlProgram } from '../../src/adapters/sql/engine/sql-program.ts';
import { migrate } from '../../src/adapters/sql/schema/migrate.ts';

/** Opens a new database, migrated so that the writes of a process are those of its work. */
export async function openDatabase(): Promise<SqlDatabase> {
  const database = openSqlite(':memory:', () => undefined);
  await database.upgrade(migrate(database.dialect));
  return database;
}

/** Thrown into a process that has died. */
export class ProcessDied extends Error {}

export interface Life {
  isOver: boolean;
  /** Writes before the process dies; undefined: no limit. */
  writesLeft: number | undefined;
  onEnd(): void;
}

/** A write statement, alone or behind the rows of a batch. */
const WRITE = /^\s*(with\b.*?\)\s*)?(insert|update|delete|replace)\b/is;

/** Wraps the database for one process of the service. */
export function openForLife(database: SqlDatabase, life: Life): SqlDatabase {
  function end(): never {
    if (!life.isOver) {
      life.isOver = true;
      life.onEnd();
    }
    throw new ProcessDied();
  }

  function check(): void {
    if (life.isOver) throw new ProcessDied();
  }

  function* watch<T>(work: SqlProgram<T>): SqlProgram<T> {
    let step = work.next();
    while (step.done !== true) {
      check();
      if (life.writesLeft !== undefined && WRITE.test(statementOf(step.value).sql)) {
        if (life.writesLeft <= 0) end();
        life.writesLeft -= 1;
      }
      const result: Result = yield step.value;
      step = work.next(result);
    }
    return step.value;
  }

  async function finish<T>(running: Promise<T>): Promise<T> {
    const value = await running;
    check();
    return value;
  }

  return {
    dialect: database.dialect,
    run: (work) => finish(database.run(watch(work))),
    snapshot: (work) => finish(database.snapshot(watch(work))),
    transaction: (work) => finish(database.transaction(watch(work))),
    exclusive: (work) => finish(database.exclusive(watch(work))),
    upgrade: (work) => finish(database.upgrade(watch(work))),
    close: () => Promise.resolve(),
  };
}
