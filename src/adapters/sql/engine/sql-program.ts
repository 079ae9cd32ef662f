/**
 * How is one piece of work with the database written for both databases? As a generator that yields statements and is handed
 * their results. SQLite runs it in one go, so that nothing of this process can come between the statements of a
 * transaction on its single connection; PostgreSQL awaits each answer.
 */

import type { Dialect } from './dialect.ts';

/** What both drivers bind and give back in the columns of this schema. */
export type SqlValue = string | number | Uint8Array | null;

declare const row: unique symbol;

/** One statement with its values; `Row` is what it answers. */
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

export type SqlProgram<T> = Generator<Query | Batch, T, Result>;

export function* readRows<Row>(query: Query<Row> | Batch<Row>): SqlProgram<readonly Row[]> {
  return (yield query).rows as readonly Row[];
}

export function* readFirst<Row>(query: Query<Row>): SqlProgram<Row | undefined> {
  return (yield query).rows[0] as Row | undefined;
}

/** Answers how many rows it changed. */
export function* execute(query: Query | Batch): SqlProgram<number> {
  return (yield query).changes;
}

/** One database, however it is driven. Every method throws `StoreUnavailable` when the database fails. */
export interface SqlDatabase {
  readonly dialect: Dialect;
  /** Each statement on its own. */
  run<T>(work: SqlProgram<T>): Promise<T>;
  /** All statements see one state of the database; they only read. */
  snapshot<T>(work: SqlProgram<T>): Promise<T>;
  /** All or nothing; others may write other rows meanwhile. */
  transaction<T>(work: SqlProgram<T>): Promise<T>;
  /** All or nothing, one after another: no two run at once, whichever process asked. */
  exclusive<T>(work: SqlProgram<T>): Promise<T>;
  /** Exclusive work that may take long, such as migrations of large tables. */
  upgrade<T>(work: SqlProgram<T>): Promise<T>;
  close(): Promise<void>;
}
