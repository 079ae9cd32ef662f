/**
 * PostgreSQL driver with a bounded connection pool and prepared statements. A connection is discarded after any failure, which also
 * ends its transaction. Limits are set after connecting, because poolers reject them as startup parameters.
 */
import pg from 'pg';
import { nameFailure, toStoreUnavailable, type ReportFailure } from './database-failure.ts';
import { postgresDialect } from './dialect.ts';
import {
  statementOf,
  type Batch,
  type Query,
  type Result,
  type SqlDatabase,
  type SqlProgram,
  type SqlValue,
} from './sql-program.ts';

const MAX_CONNECTIONS = 10;
/** Timeout for a free connection or an unresponsive server. */
const CONNECTION_TIMEOUT_MILLISECONDS = 5_000;
const STATEMENT_TIMEOUT_MILLISECONDS = 15_000;
/** Later than the server's own timeout, for a server that stops responding. */
const QUERY_TIMEOUT_MILLISECONDS = STATEMENT_TIMEOUT_MILLISECONDS + 5_000;
/** Limit on how long a process stopped in the middle of a transaction can block others. */
const IDLE_TRANSACTION_TIMEOUT_MILLISECONDS = 10_000;

/** Statements that a transaction sends ahead; bounds the rows that wait in memory. */
const MAX_STATEMENTS_AHEAD = 8;

/** Advisory lock of exclusive programs; any number that no other user of the database takes. */
const EXCLUSIVE_LOCK = 8_466_219_517;

/**
 * Forces index scans and nested loops, which suit every statement here. With missing or outdated statistics the planner would scan or
 * sort whole tables, and because connections cache their plans, throughout the first backfill.
 */
const PLANNER_SETTINGS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material']
  .map((method) => `SET enable_${method} = off`)
  .concat('SET jit = off');

/** Parses BIGINT as a number; every integer of the schema is safe. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};

const CONNECTION: pg.ClientConfig = {
  types,
  keepAlive: true,
  connectionTimeoutMillis: CONNECTION_TIMEOUT_MILLISECONDS,
  // Statements are sent without waiting for the results of those before.
  pipeline: true,
};

const LIMIT_IDLE_TRANSACTIONS = `SET idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MILLISECONDS}`;

/** Error of a pooler that lends a server connection per transaction, which loses settings, prepared statements and locks. */
class TransactionPooler extends Error {
  readonly code = 'TRANSACTION_POOLER';
}

/** Opens a database without connecting yet. `timeoutMilliseconds` overrides the timeouts of connections and statements. */
export function openPostgres(url: string, report: ReportFailure, timeoutMilliseconds?: number): SqlDatabase {
  return new PostgresDatabase(url, report, timeoutMilliseconds);
}

class PostgresDatabase implements SqlDatabase {
  readonly dialect = postgresDialect;
  readonly #url: string;
  readonly #report: ReportFailure;
  readonly #pool: pg.Pool;
  readonly #names = new Map<string, string>();
  readonly #queryTimeoutMilliseconds: number;

  constructor(url: string, report: ReportFailure, timeoutMilliseconds?: number) {
    this.#url = url;
    this.#report = report;
    this.#queryTimeoutMilliseconds = timeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS;
    const settings = listSettings(url, timeoutMilliseconds ?? STATEMENT_TIMEOUT_MILLISECONDS);
    this.#pool = new pg.Pool({
      connectionString: url,
      ...CONNECTION,
      connectionTimeoutMillis: timeoutMilliseconds ?? CONNECTION_TIMEOUT_MILLISECONDS,
      max: MAX_CONNECTIONS,
      query_timeout: this.#queryTimeoutMilliseconds,
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- pg waits for the promise; its types declare void.
      async onConnect(client) {
        ignoreConnectionErrors(client);
        await client.query(settings);
      },
    });
    this.#pool.on('error', (error) => report(nameFailure(error)));
  }

  run<T>(program: SqlProgram<T>): Promise<T> {
    return this.#withClient(async (client) => {
      let step = program.next();
      while (step.done !== true) {
        const request = statementOf(step.value);
        step = program.next(await this.#guard(() => this.#send(client, request)));
      }
      return step.value;
    });
  }

  snapshot<T>(program: SqlProgram<T>): Promise<T> {
    return this.#withClient((client) =>
      this.#transact(client, ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'], program),
    );
  }

  transaction<T>(program: SqlProgram<T>): Promise<T> {
    return this.#withClient((client) => this.#transact(client, [BEGIN], program));
  }

  exclusive<T>(program: SqlProgram<T>): Promise<T> {
    return this.#withClient((client) => this.#transact(client, BEGIN_EXCLUSIVE, program));
  }

  async upgrade<T>(program: SqlProgram<T>): Promise<T> {
    const client = await this.#connect();
    try {
      await this.#guard(() => client.query(LIMIT_IDLE_TRANSACTIONS));
      await this.#requireOwnSession(client);
      return await this.#transact(client, BEGIN_EXCLUSIVE, program);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Opens a connection outside the pool. */
  async #connect(limits: pg.ClientConfig = {}): Promise<pg.Client> {
    // The constructor reads the certificate files that the URL names.
    const client = await this.#guard(() =>
      Promise.resolve(new pg.Client({ connectionString: this.#url, ...CONNECTION, ...limits })),
    );
    ignoreConnectionErrors(client);
    try {
      await this.#guard(() => client.connect());
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Throws `StoreUnavailable` when two open connections share one session of the server. */
  async #requireOwnSession(client: pg.Client): Promise<void> {
    const own = await this.#guard(() => readSession(client));
    // A pooler without a free session lets a query wait.
    const other = await this.#connect({ query_timeout: CONNECTION_TIMEOUT_MILLISECONDS });
    try {
      await this.#guard(() => other.query('BEGIN'));
      const isShared = (await this.#guard(() => readSession(other))) === own;
      // A pooler that has lent the session to `other` uses another one here.
      if (isShared || (await this.#guard(() => readSession(client))) !== own) {
        throw toStoreUnavailable(new TransactionPooler(), this.#report);
      }
    } finally {
      await other.end().catch(() => undefined);
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

  /**
   * Runs a program in a transaction. Deferred statements and the commit are sent behind those before, without waiting. That is atomic: the
   * server runs them in order, and after one that failed it rejects the others and rolls back.
   */
  async #transact<T>(client: pg.ClientBase, begin: readonly string[], program: SqlProgram<T>): Promise<T> {
    let sent: Promise<Result>[] = [];
    const send = (request: Query | Batch) => {
      const result = this.#send(client, request, sent.length);
      // It is waited for below, where an earlier failure comes first.
      result.catch(() => undefined);
      sent.push(result);
    };
    const settle = () =>
      this.#guard(async () => {
        let last = NO_RESULT;
        for (const result of sent) last = await result;
        sent = [];
        return last;
      });
    for (const sql of begin) send({ sql, parameters: [] });
    let step = program.next();
    while (step.done !== true) {
      const isDeferred = 'deferred' in step.value;
      send(statementOf(step.value));
      step = program.next(isDeferred && sent.length < MAX_STATEMENTS_AHEAD ? NO_RESULT : await settle());
    }
    send(COMMIT);
    await settle();
    return step.value;
  }

  /** Sends a statement behind others without a result, each of which may take its time. Throws before it sends anything, or rejects. */
  #send(client: pg.ClientBase, request: Query | Batch, statementsAhead = 0): Promise<Result> {
    if ('batch' in request && request.batch.length === 0) return Promise.resolve(NO_RESULT);
    const query = {
      name: this.#nameOf(request.sql),
      text: request.sql,
      values: 'batch' in request ? toColumns(request.batch) : [...request.parameters],
      query_timeout: this.#queryTimeoutMilliseconds * (statementsAhead + 1),
    };
    return client.query<object>(query).then(({ rows, rowCount }) => ({ rows, changes: rowCount ?? 0 }));
  }

  async #guard<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw toStoreUnavailable(error, this.#report);
    }
  }

  #nameOf(text: string): string {
    const existing = this.#names.get(text);
    if (existing !== undefined) return existing;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Returns the statements that a connection begins with. A limit in the URL has precedence. */
function listSettings(url: string, statementTimeoutMilliseconds: number): string {
  const hasOwnLimit = new URL(url).searchParams.has('statement_timeout');
  const limits = hasOwnLimit ? [] : [`SET statement_timeout = ${statementTimeoutMilliseconds}`];
  return [...limits, LIMIT_IDLE_TRANSACTIONS, ...PLANNER_SETTINGS].join('; ');
}

/** Returns the id of the server process that serves the connection. */
async function readSession(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** Ignores connection errors, which would end the process without a listener. A pending statement fails by itself. */
function ignoreConnectionErrors(client: pg.ClientBase): void {
  client.on('error', () => undefined);
}

const COMMIT: Query = { sql: 'COMMIT', parameters: [] };
const NO_RESULT: Result = { rows: [], changes: 0 };
/** A statement of a transaction sees what was committed before it, whatever the default of the server. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const BEGIN_EXCLUSIVE = [BEGIN, `SELECT pg_advisory_xact_lock(${EXCLUSIVE_LOCK})`];

/** Converts rows to one array per column, as `Dialect.batch` expects. */
function toColumns(rows: Batch['batch']): (SqlValue[] | Buffer)[] {
  return rows[0]!.map((_, column) => {
    const values = rows.map((row) => row[column] ?? null);
    // A column of nulls alone has no type.
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

/** Encodes a `bytea[]` in the protocol's binary format; the text format is twice as long and slower to write and parse. */
function encodeByteArray(values: readonly (Uint8Array | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), ARRAY_HEAD_BYTES));
  // One dimension, with a null bitmap flag, lower bound 1.
  let at = [1, 1, BYTEA_OID, values.length, 1].reduce((to, word) => bytes.writeInt32BE(word, to), 0);
  for (const value of values) {
    at = bytes.writeInt32BE(value?.length ?? NULL_LENGTH, at);
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}
