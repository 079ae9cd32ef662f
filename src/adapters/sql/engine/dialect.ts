/**
 * SQL dialects: the differences between the two databases in column types and in batch parameters. Statements are compiled by
 * kysely or are text that both databases accept.
 */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Schema } from '../schema/schema.ts';

/** Column types of a batch. */
export type BatchColumns = Readonly<Record<string, 'integer' | 'text' | 'bytes'>>;

export interface Dialect {
  /** Compiles statements; has no connection. */
  readonly builder: Kysely<Schema>;
  readonly columns: {
    /** Safe integers. */
    readonly integer: string;
    /** Integers below 2^31. */
    readonly small: string;
    /** Sorted by code unit. */
    readonly text: string;
    /** Sorted as unsigned bytes. */
    readonly bytes: string;
  };
  /** Suffix of a table definition. */
  readonly table: string;
  /** Suffix of a table of short rows, clustered by primary key where the database supports it. */
  readonly clustered: string;
  /** Returns the text of a statement that reads its rows from the table `batch`. */
  batch(columns: BatchColumns, text: string): string;
}

export const sqliteDialect: Dialect = {
  builder: new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  columns: { integer: 'INTEGER', small: 'INTEGER', text: 'TEXT', bytes: 'BLOB' },
  table: 'STRICT',
  clustered: 'STRICT, WITHOUT ROWID',
  batch(columns, text) {
    const names = Object.keys(columns);
    return `WITH batch (${names.join(', ')}) AS (VALUES (${names.map(() => '?').join(', ')})) ${text}`;
  },
};

const POSTGRES_ARRAYS = { integer: 'bigint[]', text: 'text[]', bytes: 'bytea[]' } as const;

export const postgresDialect: Dialect = {
  builder: new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
  columns: { integer: 'BIGINT', small: 'INTEGER', text: 'TEXT COLLATE "C"', bytes: 'BYTEA' },
  table: '',
  clustered: '',
  batch(columns, text) {
    const names = Object.keys(columns);
    const arrays = names.map((name, index) => `$${index + 1}::${POSTGRES_ARRAYS[columns[name]!]}`);
    return `WITH batch (${names.join(', ')}) AS (SELECT * FROM unnest(${arrays.join(', ')})) ${text}`;
  },
};
