/**
 * SQLite driver with one connection per store. A transaction runs synchronously from its first statement to its last, so that no
 * statement of another caller can join it.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { toStoreUnavailable, type ReportFailure } from './database-failure.ts';
import { sqliteDialect } from './dialect.ts';
import {
  statementOf,
  type Batch,
  type Deferred,
  type Query,
  type Result,
  type SqlDatabase,
  type SqlProgram,
  type SqlValue,
} from './sql-program.ts';

/** How long a call waits for the write lock of another process; an index batch takes a fraction of it. */
const LOCK_TIMEOUT_MILLISECONDS = 2_000;
/** The same while another process may be migrating large tables. */
const UPGRADE_LOCK_TIMEOUT_MILLISECONDS = 60_000;
const LOCK_RETRY_MILLISECONDS = 5;
/** Lock timeout while a file is opened, which may block the event loop. */
const OPENING_TIMEOUT_MILLISECONDS = 5_000;

const PRAGMAS = [
  'journal_mode = WAL',
  // An acknowledged decision survives a power cut.
  'synchronous = FULL',
  'foreign_keys = ON',
  'cache_size = -16384',
  'journal_size_limit = 67108864',
];

type Statement = Sqlite.Statement<SqlValue[]>;

/** Opens the file and creates its folder; the bytes of a file are opened as a copy in memory. Throws `StoreUnavailable`. */
export function openSqlite(file: string | Buffer, report: ReportFailure): SqlDatabase {
  let connection: Sqlite.Database | undefined;
  try {
    if (typeof file === 'string' && file !== ':memory:') makeFile(file);
    connection = new Sqlite(file, { timeout: OPENING_TIMEOUT_MILLISECONDS });
    for (const pragma of PRAGMAS) connection.pragma(pragma);
    // SQLite's own wait for a lock would block the event loop.
    connection.pragma('busy_timeout = 0');
    return new SqliteDatabase(connection, report);
  } catch (error) {
    connection?.close();
    throw toStoreUnavailable(error, report);
  }
}

/** Read and written by the owner only. SQLite gives its other files the mode of the database. */
const FILE_MODE = 0o600;

/**
 * Creates a missing file, in WAL mode from the start. SQLite does not wait for locks while it changes the mode of a file, so two
 * processes that start on an empty file together would fail. Without hard links the file is left to SQLite.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) return;
  const draft = `${path}.${randomUUID()}`;
  closeSync(openSync(draft, 'wx', FILE_MODE));
  const connection = new Sqlite(draft);
  try {
    connection.pragma('journal_mode = WAL');
    connection.close();
    linkSync(draft, path);
  } catch (error) {
    if (!isLinkRefused(error)) throw error;
    if (!existsSync(path)) closeSync(openSync(path, 'a', FILE_MODE));
  } finally {
    connection.close();
    rmSync(draft);
  }
}

/** Returns whether another process created the file first or the file system has no hard links. */
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

  run<T>(program: SqlProgram<T>): Promise<T> {
    const execution = new ProgramRun(program);
    return this.#retryWhileLocked(() => execution.run(this.#execute));
  }

  snapshot<T>(program: SqlProgram<T>): Promise<T> {
    return this.#transact('BEGIN', program);
  }

  transaction<T>(program: SqlProgram<T>): Promise<T> {
    return this.exclusive(program);
  }

  exclusive<T>(program: SqlProgram<T>): Promise<T> {
    return this.#transact('BEGIN IMMEDIATE', program);
  }

  upgrade<T>(program: SqlProgram<T>): Promise<T> {
    return this.#transact('BEGIN IMMEDIATE', program, UPGRADE_LOCK_TIMEOUT_MILLISECONDS);
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }

  #transact<T>(begin: string, program: SqlProgram<T>, timeoutMilliseconds?: number): Promise<T> {
    const execution = new ProgramRun(program);
    return this.#retryWhileLocked(() => {
      this.#execute({ sql: begin, parameters: [] });
      try {
        const value = execution.run(this.#execute);
        this.#execute({ sql: 'COMMIT', parameters: [] });
        return value;
      } catch (error) {
        // Executed statements are rolled back, so the program cannot continue.
        throw execution.hasExecuted && isLock(error) ? toStoreUnavailable(error, this.#report) : error;
      } finally {
        if (this.#connection.open && this.#connection.inTransaction) this.#execute({ sql: 'ROLLBACK', parameters: [] });
      }
    }, timeoutMilliseconds);
  }

  /** Runs `act`, retrying while another process holds a lock, without blocking the event loop in between. */
  async #retryWhileLocked<T>(act: () => T, timeoutMilliseconds = LOCK_TIMEOUT_MILLISECONDS): Promise<T> {
    const until = performance.now() + timeoutMilliseconds;
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

  /** Executes one request. Throws `StoreUnavailable`, or the driver's error for a lock. */
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
      statement = this.#connection.prepare<SqlValue[]>(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** Execution of a program; a repeated run resumes with the statement that failed. */
class ProgramRun<T> {
  readonly #program: SqlProgram<T>;
  #step: IteratorResult<Query | Batch | Deferred, T> | undefined;
  /** Whether a statement was executed. */
  hasExecuted = false;

  constructor(program: SqlProgram<T>) {
    this.#program = program;
  }

  run(execute: (request: Query | Batch) => Result): T {
    let step = (this.#step ??= this.#program.next());
    while (step.done !== true) {
      const result = execute(statementOf(step.value));
      this.hasExecuted = true;
      step = this.#step = this.#program.next(result);
    }
    return step.value;
  }
}

/** Returns whether an error means that another process has locked the file. */
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
