/**
 * Leader lock: a PostgreSQL advisory lock on a dedicated connection, released as soon as the server sees the connection close,
 * however the process ended. A SQLite file belongs to one process, which always holds the lock.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { LeaderLock } from '../../ports/runtime.ts';
import { toStoreUnavailable, type ReportFailure } from './engine/database-failure.ts';
import type { DatabaseLocation } from './engine/database-url.ts';

/** Lock id; any number that no other user of the database takes. */
const LEADER_LOCK = 8_466_219_518;
/** After this silence the lock counts as lost and a new connection is opened. */
const TIMEOUT_MILLISECONDS = 3_000;

/** Makes the server drop the connection of a vanished host after 5 + 3 x 2 seconds. */
const KEEPALIVE_SETTINGS = [
  'SET tcp_keepalives_idle = 5',
  'SET tcp_keepalives_interval = 2',
  'SET tcp_keepalives_count = 3',
].join('; ');

/** Creates the lock. Opens no connection yet. */
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
      // The lock lasts as long as its session; acquiring it twice would require two releases.
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
    // A silent server does not confirm the end of the connection.
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
