/**
 * Database of a process that dies at a statement: right before any write, inside or outside of a transaction, or right
 * after a commit whose result is never reported. The database survives; uncommitted changes do not.
 */
import { openSqlite } from '../../src/adapters/sql/engine/sqlite.ts';
import { execute, readRows, statementOf } from '../../src/adapters/sql/engine/sql-program.ts';
import type { Result, SqlDatabase, SqlProgram } from '../../src/adapters/sql/engine/sql-program.ts';

const free: SqlDatabase[] = [];

/** Returns an empty database, migrated once and reused by later runs. */
export function acquireDatabase(): SqlDatabase {
  return free.pop() ?? openSqlite(':memory:', () => undefined);
}

export async function releaseDatabase(database: SqlDatabase): Promise<void> {
  await database.exclusive(empty());
  free.push(database);
}

function* empty(): SqlProgram<void> {
  const tables = yield* readRows<{ name: string }>({ sql: TABLES, parameters: [] });
  for (const { name } of tables) yield* execute({ sql: `DELETE FROM ${name}`, parameters: [] });
}

/** Newest tables first: a table refers only to older ones. */
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations' AND name NOT LIKE 'sqlite_%'
  ORDER BY rowid DESC`;

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
