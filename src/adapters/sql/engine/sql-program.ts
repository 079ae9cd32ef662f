/**
 * SQL programs: generators that yield statements and receive their results, written once for both databases. SQLite runs a program
 * synchronously, so that no other statement of this process interleaves with a transaction on its single connection; PostgreSQL
 * awaits each result.
 */

import type { Dialect } from './dialect.ts';

/** Value that both drivers bind and return for the columns of this schema. */
export type SqlValue = string | number | Uint8Array | null;

declare const row: unique symbol;

/** One statement with its values; `Row` is the type of its rows. */
export interface Query<Row = unknown> {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  readonly [row]?: Row;
}

/** One statement for many rows, whose text reads them from the table `batch` (`Dialect.batch`). */
export interface Batch<Row = unknown> {
  readonly sql: string;
  readonly batch: readonly (readonly SqlValue[])[];
  readonly [row]?: Row;
}

export interface Result {
  readonly rows: readonly unknown[];
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
}

/** Statement whose result the program does not use. */
export interface Deferred {
  readonly deferred: Query | Batch;
}

export type SqlProgram<T> = Generator<Query | Batch | Deferred, T, Result>;

export function statementOf(step: Query | Batch | Deferred): Query | Batch {
  return 'deferred' in step ? step.deferred : step;
}

export function* readRows<Row>(query: Query<Row> | Batch<Row>): SqlProgram<readonly Row[]> {
  return (yield query).rows as readonly Row[];
}

export function* readFirst<Row>(query: Query<Row>): SqlProgram<Row | undefined> {
  return (yield query).rows[0] as Row | undefined;
}

/** Executes a statement whose result is not used. A transaction of PostgreSQL continues without waiting for it. */
export function* execute(query: Query | Batch): SqlProgram<void> {
  yield { deferred: query };
}

/** Executes a statement and returns the number of changed rows. */
export function* countChanges(query: Query | Batch): SqlProgram<number> {
  return (yield query).changes;
}

/** Database that runs programs. Every method throws `StoreUnavailable` when the database fails. */
export interface SqlDatabase {
  readonly dialect: Dialect;
  /** Runs each statement in its own transaction. */
  run<T>(program: SqlProgram<T>): Promise<T>;
  /** Runs a read-only program on one snapshot of the database. */
  snapshot<T>(program: SqlProgram<T>): Promise<T>;
  /** Runs a program atomically; concurrent programs may write other rows. */
  transaction<T>(program: SqlProgram<T>): Promise<T>;
  /** Runs a program atomically while it holds the write lock, which one program of all processes holds at a time. */
  exclusive<T>(program: SqlProgram<T>): Promise<T>;
  /** Runs an exclusive program that may take long, such as migrations of large tables. */
  upgrade<T>(program: SqlProgram<T>): Promise<T>;
  close(): Promise<void>;
}
