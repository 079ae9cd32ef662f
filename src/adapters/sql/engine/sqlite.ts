/**
 * How is SQLite driven? One connection per store. A transaction runs synchronously from its first statement to its last, so it has
 * no gap in which another caller's statement could join it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { toStoreUnavailable, type ReportFailure } from './database-failure.ts';
import { sqliteDialect } from './dialect.ts';
import type { Batch, Query, Result, SqlDatabase, SqlValue, SqlProgram } from './sql-program.ts';

/** How long another process may hold the write lock; a batch of its index takes a fraction of that. */
const LOCK_TIMEOUT_MILLISECONDS = 2_000;
/** The same of a process that migrates large tables. */
const UPGRADE_LOCK_TIMEOUT_MILLISECONDS = 60_000;
const LOCK_RETRY_MILLISECONDS = 5;
/** While a file is opened, when nobody else of this process waits. */
const OPENING_TIMEOUT_MILLISECONDS = 5_000;

const PRAGMAS = [
  'journal_mode = WAL',
  // An acknowledged decision survives a power cut.
  'synchronous = FULL',
  'foreign_keys = ON',
  'cache_size = -16384',
  'journal_size_limit = 67108864',
];

type Statement = Sqlite.Statement<SqlValue[], unknown>;

/** Opens the file, and makes its folder. Throws `StoreUnavailable`. */
export function openSqlite(path: string, report: ReportFailure): SqlDatabase {
  let connection: Sqlite.Database | undefined;
  try {
    if (path !== ':memory:') makeFile(path);
    connection = new Sqlite(path, { timeout: OPENING_TIMEOUT_MILLISECONDS });
    for (const pragma of PRAGMAS) connection.pragma(pragma);
    // SQLite would wait for a lock with the whole process.
    connection.pragma('busy_timeout = 0');
    return new SqliteDatabase(connection, report);
  } catch (error) {
    connection?.close();
    throw toStoreUnavailable(error, report);
  }
}

/**
 * Makes a missing file, in WAL mode from its first moment. SQLite does not wait for others while it changes the mode of a file, so two
 * processes that start together on an empty one would fail. Where there are no links it is left to SQLite.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) return;
  const draft = `${path}.${randomUUID()}`;
  const connection = new Sqlite(draft);
  try {
    connection.pragma('journal_mode = WAL');
    connection.close();
    linkSync(draft, path);
  } catch (error) {
    if (!isLinkRefused(error)) throw error;
  } finally {
    connection.close();
    rmSync(draft);
  }
}

/** Another process was first, or the file system knows no links. */
function isLinkRefused(error: unknown): boolean {
  return (error as { readonly syscall?: unknown }).syscall === 'link';
}

class SqliteDatabase implements SqlDatabase {
  readonly dialect = sqliteDialect;
  readonly #connection: Sqlite.Database;
  readonly #report: ReportFailure;
  readonly #statements = new Map<string, Statement>();

  constructor(connection: Sqlite.Database, report: ReportFailure) {
    this.#connection = connection;
    this.#report = report;
  }

  run<T>(work: SqlProgram<T>): Promise<T> {
    const drive = new Drive(work);
    return this.#patiently(() => drive.run(this.#execute));
  }

  snapshot<T>(work: SqlProgram<T>): Promise<T> {
    return this.#transact('BEGIN', work);
  }

  transaction<T>(work: SqlProgram<T>): Promise<T> {
    return this.exclusive(work);
  }

  exclusive<T>(work: SqlProgram<T>): Promise<T> {
    return this.#transact('BEGIN IMMEDIATE', work);
  }

  upgrade<T>(work: SqlProgram<T>): Promise<T> {
    return this.#transact('BEGIN IMMEDIATE', work, UPGRADE_LOCK_TIMEOUT_MILLISECONDS);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #transact<T>(begin: string, work: SqlProgram<T>, patienceMilliseconds?: number): Promise<T> {
    const drive = new Drive(work);
    return this.#patiently(() => {
      this.#execute({ sql: begin, parameters: [] });
      try {
        const value = drive.run(this.#execute);
        this.#execute({ sql: 'COMMIT', parameters: [] });
        return value;
      } catch (error) {
        // What was answered is rolled back, so there is nothing to go on with.
        throw drive.hasExecuted && isLock(error) ? toStoreUnavailable(error, this.#report) : error;
      } finally {
        if (this.#connection.open && this.#connection.inTransaction) this.#execute({ sql: 'ROLLBACK', parameters: [] });
      }
    }, patienceMilliseconds);
  }

  /** In one go; where another process has locked the file, again and again, and others of this process have their turns meanwhile. */
  async #patiently<T>(act: () => T, patienceMilliseconds = LOCK_TIMEOUT_MILLISECONDS): Promise<T> {
    const until = performance.now() + patienceMilliseconds;
    for (;;) {
      try {
        return act();
      } catch (error) {
        if (!isLock(error)) throw error;
        if (performance.now() > until) throw toStoreUnavailable(error, this.#report);
      }
      await delay(LOCK_RETRY_MILLISECONDS);
    }
  }

  /** Throws `StoreUnavailable`, or what `isLock` knows. */
  readonly #execute = (request: Query | Batch): Result => {
    try {
      const statement = this.#prepare(request.sql);
      return 'batch' in request ? runBatch(statement, request.batch) : runOnce(statement, request.parameters);
    } catch (error) {
      throw isLock(error) ? error : toStoreUnavailable(error, this.#report);
    }
  };

  #prepare(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#connection.prepare<SqlValue[], unknown>(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** A piece of work, which goes on with the statement that failed. */
class Drive<T> {
  readonly #work: SqlProgram<T>;
  #step: IteratorResult<Query | Batch, T> | undefined;
  /** Whether a statement was answered. */
  hasExecuted = false;

  constructor(work: SqlProgram<T>) {
    this.#work = work;
  }

  run(execute: (request: Query | Batch) => Result): T {
    let step = (this.#step ??= this.#work.next());
    while (step.done !== true) {
      const result = execute(step.value);
      this.hasExecuted = true;
      step = this.#step = this.#work.next(result);
    }
    return step.value;
  }
}

/** Another process has locked the file. */
function isLock(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function runOnce(statement: Statement, parameters: readonly SqlValue[]): Result {
  if (statement.reader) return { rows: statement.all(...parameters), changes: 0 };
  return { rows: [], changes: statement.run(...parameters).changes };
}

function runBatch(statement: Statement, batch: Batch['batch']): Result {
  const rows: unknown[] = [];
  let changes = 0;
  for (const values of batch) {
    if (statement.reader) rows.push(...statement.all(...values));
    else changes += statement.run(...values).changes;
  }
  return { rows, changes };
}
