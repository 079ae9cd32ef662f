/**
 * How is PostgreSQL driven? Through a bounded pool, with statements prepared once per connection. A connection on which anything
 * failed is thrown away, which also ends its transaction; the next caller gets a fresh one.
 */
import pg from 'pg';
import { nameFailure, toStoreUnavailable, type ReportFailure } from './database-failure.ts';
import { postgresDialect } from './dialect.ts';
import type { Batch, Query, Result, SqlDatabase, SqlValue, SqlProgram } from './sql-program.ts';

const MAX_CONNECTIONS = 10;
/** Waiting for a free connection, or for a server that does not answer. */
const CONNECTION_TIMEOUT_MILLISECONDS = 5_000;
const STATEMENT_TIMEOUT_MILLISECONDS = 15_000;
/** Later than the server's own limit: for a server that fell silent. */
const QUERY_TIMEOUT_MILLISECONDS = STATEMENT_TIMEOUT_MILLISECONDS + 5_000;
/** A process that stopped in the middle of a transaction keeps others waiting no longer than this. */
const IDLE_TRANSACTION_TIMEOUT_MILLISECONDS = 10_000;

/** The advisory lock of exclusive work; any number that other users of the database do not take. */
const EXCLUSIVE_LOCK = 8_466_219_517;

/**
 * Every statement finds its rows through an index, in its order, and joins row by row. Without numbers about a table, or with those of the
 * time when it was small, the planner prefers to read or to sort all of it: through the whole first backfill, because
 * connections keep their plans.
 */
const PLANNER_SETTINGS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material']
  .map((method) => `SET enable_${method} = off`)
  .concat('SET jit = off')
  .join('; ');

/** Every integer of the schema is a safe one; values come as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const CONNECTION: pg.ClientConfig = {
  types,
  keepAlive: true,
  connectionTimeoutMillis: CONNECTION_TIMEOUT_MILLISECONDS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MILLISECONDS,
};

/** Connects to nothing yet. No statement, and no connection, is waited for longer than `patienceMilliseconds`, where they are given. */
export function openPostgres(url: string, report: ReportFailure, patienceMilliseconds?: number): SqlDatabase {
  return new PostgresDatabase(url, report, patienceMilliseconds);
}

class PostgresDatabase implements SqlDatabase {
  readonly dialect = postgresDialect;
  readonly #url: string;
  readonly #report: ReportFailure;
  readonly #pool: pg.Pool;
  readonly #names = new Map<string, string>();

  constructor(url: string, report: ReportFailure, patienceMilliseconds?: number) {
    this.#url = url;
    this.#report = report;
    this.#pool = new pg.Pool({
      connectionString: url,
      ...CONNECTION,
      connectionTimeoutMillis: patienceMilliseconds ?? CONNECTION_TIMEOUT_MILLISECONDS,
      max: MAX_CONNECTIONS,
      statement_timeout: patienceMilliseconds ?? STATEMENT_TIMEOUT_MILLISECONDS,
      query_timeout: patienceMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS,
      async onConnect(client) {
        ignoreConnectionErrors(client);
        await client.query(PLANNER_SETTINGS);
      },
    });
    this.#pool.on('error', (error) => report(nameFailure(error)));
  }

  run<T>(work: SqlProgram<T>): Promise<T> {
    return this.#withClient((client) => this.#drive(client, work));
  }

  snapshot<T>(work: SqlProgram<T>): Promise<T> {
    return this.#withClient((client) =>
      this.#transact(client, ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'], work),
    );
  }

  transaction<T>(work: SqlProgram<T>): Promise<T> {
    return this.#withClient((client) => this.#transact(client, ['BEGIN'], work));
  }

  exclusive<T>(work: SqlProgram<T>): Promise<T> {
    return this.#withClient((client) => this.#transact(client, BEGIN_EXCLUSIVE, work));
  }

  async upgrade<T>(work: SqlProgram<T>): Promise<T> {
    // It reads the files of certificates that the URL names.
    const client = await this.#guard(async () => new pg.Client({ connectionString: this.#url, ...CONNECTION }));
    ignoreConnectionErrors(client);
    try {
      await this.#guard(() => client.connect());
      return await this.#transact(client, BEGIN_EXCLUSIVE, work);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#guard(() => this.#pool.end());
  }

  async #withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#guard(() => this.#pool.connect());
    let isHealthy = false;
    try {
      const value = await use(client);
      isHealthy = true;
      return value;
    } finally {
      client.release(!isHealthy);
    }
  }

  async #transact<T>(client: pg.ClientBase, begin: readonly string[], work: SqlProgram<T>): Promise<T> {
    for (const text of begin) await this.#guard(() => client.query(text));
    const value = await this.#drive(client, work);
    await this.#guard(() => client.query('COMMIT'));
    return value;
  }

  async #drive<T>(client: pg.ClientBase, work: SqlProgram<T>): Promise<T> {
    let step = work.next();
    while (step.done !== true) step = work.next(await this.#execute(client, step.value));
    return step.value;
  }

  async #execute(client: pg.ClientBase, request: Query | Batch): Promise<Result> {
    if ('batch' in request && request.batch.length === 0) return { rows: [], changes: 0 };
    const values = 'batch' in request ? toColumns(request.batch) : [...request.parameters];
    const { rows, rowCount } = await this.#guard(() =>
      client.query<object>({ name: this.#nameOf(request.sql), text: request.sql, values }),
    );
    return { rows, changes: rowCount ?? 0 };
  }

  async #guard<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw toStoreUnavailable(error, this.#report);
    }
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Without a listener the loss of a connection would end the process. Whoever uses it is told by the statement's own failure. */
function ignoreConnectionErrors(client: pg.ClientBase): void {
  client.on('error', () => undefined);
}

const BEGIN_EXCLUSIVE = ['BEGIN', `SELECT pg_advisory_xact_lock(${EXCLUSIVE_LOCK})`];

/** One array per column, as `Dialect.batch` takes them. */
function toColumns(rows: Batch['batch']): (SqlValue[] | Buffer)[] {
  return rows[0]!.map((_, column) => {
    const values = rows.map((row) => row[column] ?? null);
    // Nulls alone may stand for anything.
    const isBytes = values.every(isBytesOrNull) && values.some((value) => value !== null);
    return isBytes ? encodeByteArray(values) : values;
  });
}

function isBytesOrNull(value: SqlValue): value is Uint8Array | null {
  return value === null || typeof value === 'object';
}

const BYTEA_OID = 17;
const ARRAY_HEAD_BYTES = 20;
const NULL_LENGTH = -1;

/** A `bytea[]` in the binary form of the protocol: as text it would be twice as long, and be written and read digit by digit. */
function encodeByteArray(values: readonly (Uint8Array | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), ARRAY_HEAD_BYTES));
  // One dimension, perhaps with nulls, from 1 on.
  let at = [1, 1, BYTEA_OID, values.length, 1].reduce((to, word) => bytes.writeInt32BE(word, to), 0);
  for (const value of values) {
    at = bytes.writeInt32BE(value?.length ?? NULL_LENGTH, at);
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}
