/**
 * How is the lock of the leader held? By an advisory lock of PostgreSQL on a connection that is kept for it alone: it is free as soon as the
 * server sees the connection go, whatever became of the process. A file of SQLite is one process's own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { LeaderLock } from '../../ports/runtime.ts';
import { toStoreUnavailable, type ReportFailure } from './engine/database-failure.ts';
import type { DatabaseLocation } from './engine/database-url.ts';

/** Any number that other users of the database do not take. */
const LEADER_LOCK = 8_466_219_518;
/** A server that is silent for so long is asked on a new connection, and the lock is not believed in meanwhile. */
const TIMEOUT_MILLISECONDS = 3_000;

/** A host that vanished, with its connection still open, is given up by the server after 5 + 3 x 2 seconds. */
const KEEPALIVE_SETTINGS = [
  'SET tcp_keepalives_idle = 5',
  'SET tcp_keepalives_interval = 2',
  'SET tcp_keepalives_count = 3',
].join('; ');

/** Connects to nothing yet. */
export function createLeaderLock(location: DatabaseLocation, report: ReportFailure): LeaderLock {
  if (location.kind === 'postgres') return new PostgresLeaderLock(location.url, report);
  return { acquire: () => Promise.resolve(true), release: () => Promise.resolve() };
}

class PostgresLeaderLock implements LeaderLock {
  readonly #url: string;
  readonly #report: ReportFailure;
  #client: pg.Client | undefined;
  #isHeld = false;

  constructor(url: string, report: ReportFailure) {
    this.#url = url;
    this.#report = report;
  }

  async acquire(): Promise<boolean> {
    try {
      const client = this.#client ?? (await this.#connect());
      // The lock lives as long as its session, and asking for it twice would count twice.
      if (this.#isHeld) await client.query('SELECT 1');
      else this.#isHeld = await tryLock(client);
      return this.#isHeld && this.#client === client;
    } catch (error) {
      await this.release();
      throw toStoreUnavailable(error, this.#report);
    }
  }

  async release(): Promise<void> {
    const client = this.#client;
    this.#forget();
    // A server that fell silent does not say good-bye.
    await Promise.race([client?.end().catch(() => undefined), delay(TIMEOUT_MILLISECONDS, undefined, { ref: false })]);
  }

  async #connect(): Promise<pg.Client> {
    const { Client } = (await import('pg')).default;
    const client = new Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: TIMEOUT_MILLISECONDS,
      query_timeout: TIMEOUT_MILLISECONDS,
    });
    this.#client = client;
    client.on('error', () => this.#client === client && this.#forget());
    await client.connect();
    await client.query(KEEPALIVE_SETTINGS);
    return client;
  }

  #forget(): void {
    this.#client = undefined;
    this.#isHeld = false;
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`SELECT pg_try_advisory_lock(${LEADER_LOCK}) AS held`);
  return rows[0]?.held === true;
}
