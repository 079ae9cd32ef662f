/**
 * Read replica for listings: a read-only PostgreSQL standby. A page is read from it when it indexes the same deployments, responds in
 * time, and lags no further than the reader allows. An unusable replica is tried again after a while. Nothing is written or migrated.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../domain/faults.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { ReadReplica, ListStore } from '../../ports/store.ts';
import { createAltFleets } from './alt-chain/fleets.ts';
import type { ReportFailure } from './engine/database-failure.ts';
import { createOwnership } from './main-chain/ownership-lists.ts';
import { createIdentities } from './schema/index-identities.ts';
import type { SqlDatabase } from './engine/sql-program.ts';

export interface ReadReplicaOptions {
  readonly url: string;
  /** Reads the index identities of the primary. */
  readonly readIdentities: () => Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  readonly reportFailure: ReportFailure;
}

export interface OpenReadReplica extends ReadReplica {
  /** Closes the connections; does not wait for pending statements. */
  close(): Promise<void>;
}

/** Reason why the primary is read, as logged. */
type Unusable = 'fails' | 'another index' | 'lags';

/** After this time the primary is faster. */
const TIMEOUT_MILLISECONDS = 1_000;
const RETRY_AFTER_MILLISECONDS = 5_000;
/** Shutdown is bounded, and a replica loses nothing. */
const CLOSE_TIMEOUT_MILLISECONDS = 200;

/** Creates the replica of a URL. Opens no connection yet. */
export async function openReadReplica({
  url,
  reportFailure,
  ...options
}: ReadReplicaOptions): Promise<OpenReadReplica> {
  const { openPostgres } = await import('./engine/postgres.ts');
  return createReadReplica(openPostgres(url, reportFailure, TIMEOUT_MILLISECONDS), options);
}

/** Creates the replica on an open database. */
export function createReadReplica(
  database: SqlDatabase,
  { readIdentities, clock, log }: Omit<ReadReplicaOptions, 'url' | 'reportFailure'>,
): OpenReadReplica {
  const { listOwnership } = createOwnership(database);
  const { listFleet } = createAltFleets(database);
  const lists: ListStore = { listOwnership, listFleet };
  const own = createIdentities(database);
  let hasSameIdentities = false;
  let status: Unusable | 'usable' | undefined;
  let checkedAtMilliseconds = -Infinity;

  async function readIfSameIndex<T>(list: (replica: ListStore) => Promise<T>): Promise<T | undefined> {
    hasSameIdentities ||= (await own.readIdentities()) === (await readIdentities());
    return hasSameIdentities ? list(lists) : undefined;
  }

  function setStatus(next: Unusable | 'usable'): void {
    checkedAtMilliseconds = clock.nowMilliseconds();
    if (next === status) return;
    status = next;
    if (status === 'usable') log.info({}, 'listings are read from the read replica');
    else log.warn({ reason: status }, 'the read replica is not used; listings are read from the primary');
  }

  return {
    async tryReplica(list, isFit) {
      const now = clock.nowMilliseconds();
      if (status !== 'usable') {
        if (Math.abs(now - checkedAtMilliseconds) < RETRY_AFTER_MILLISECONDS) return undefined;
        // Only one page tries the replica again.
        checkedAtMilliseconds = now;
      }
      try {
        const page = await Promise.race([readIfSameIndex(list), timeOut()]);
        const isUsable = page !== undefined && isFit(page);
        setStatus(page === undefined ? 'another index' : isUsable ? 'usable' : 'lags');
        return isUsable ? page : undefined;
      } catch (error) {
        // The next connection may reach another database.
        hasSameIdentities = false;
        setStatus('fails');
        if (error instanceof Fault && error.kind === 'StoreUnavailable') return undefined;
        throw error;
      }
    },
    close: () => Promise.race([database.close(), delay(CLOSE_TIMEOUT_MILLISECONDS, undefined, { ref: false })]),
  };
}

async function timeOut(): Promise<never> {
  await delay(TIMEOUT_MILLISECONDS, undefined, { ref: false });
  throw new Fault('StoreUnavailable', {});
}
