/**
 * When does a process die? At a statement: the wrapper around the real database lets a life end right before any write, inside or outside of a
 * transaction, or right after a commit of which nobody is told. The database survives; whatever was not committed does not.
 */
import { openSqlite } from '../../src/adapters/sql/engine/sqlite.ts';
import { execute, readRows } from '../../src/adapters/sql/engine/sql-program.ts';
import type { Batch, Query, Result, SqlDatabase, SqlProgram } from '../../src/adapters/sql/engine/sql-program.ts';

const free: SqlDatabase[] = [];

/** An empty one. What was prepared and migrated in one serves the next run. */
export function takeDatabase(): SqlDatabase {
  return free.pop() ?? openSqlite(':memory:', () => undefined);
}

export async function giveDatabaseBack(database: SqlDatabase): Promise<void> {
  await database.exclusive(empty());
  free.push(database);
}

function* empty(): SqlProgram<void> {
  const tables = yield* readRows<{ name: string }>({ sql: TABLES, parameters: [] });
  for (const { name } of tables) yield* execute({ sql: `DELETE FROM ${name}`, parameters: [] });
}

/** What refers to another was made after it. */
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations' AND name NOT LIKE 'sqlite_%'
  ORDER BY rowid DESC`;

/** Thrown into a life that is over. */
export class ProcessDied extends Error {}

export interface Life {
  isOver: boolean;
  /** Writes until the end; undefined: it goes on. */
  writesLeft: number | undefined;
  onEnd(): void;
}

/** By itself, or behind the rows of a batch. */
const WRITE = /^\s*(with\b.*?\)\s*)?(insert|update|delete|replace)\b/is;

/** The database as one life of the service sees it. */
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
      if (life.writesLeft !== undefined && WRITE.test(step.value.sql)) {
        if (life.writesLeft <= 0) end();
        life.writesLeft -= 1;
      }
      const result: Result = yield step.value as Query | Batch;
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
