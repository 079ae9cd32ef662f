/**
 * May a page of a list come from a copy of the database? It may when the copy holds the index of the same deployments, answers soon, and lags no further than its reader
 * allows; one that does not is left alone for a while. Nothing is written to it, and nothing is migrated.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../domain/faults.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { ReadReplica, ListStore } from '../../ports/store.ts';
import { createAltFleets } from './alt-chain/fleets.ts';
import type { ReportFailure } from './engine/database-failure.ts';
import { createOwnership } from './main-chain/ownership.ts';
import { createIdentities } from './schema/index-identities.ts';
import type { SqlDatabase } from './engine/sql-program.ts';

export interface ReadReplicaOptions {
  readonly url: string;
  /** Of the database that is copied. */
  readonly readIdentities: () => Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  readonly reportFailure: ReportFailure;
}

export interface OpenReadReplica extends ReadReplica {
  /** Waits for no statement that the copy does not answer. */
  close(): Promise<void>;
}

/** Why lists are read elsewhere. */
type Unfit = 'fails' | 'another index' | 'lags';

/** A list that waits for longer is better asked elsewhere. */
const TIMEOUT_MILLISECONDS = 1_000;
const RETRY_AFTER_MILLISECONDS = 5_000;
/** A stop is promised an end, and nothing of a copy is lost. */
const CLOSE_TIMEOUT_MILLISECONDS = 200;

/** Connects to nothing yet. */
export async function openReadReplica({
  url,
  reportFailure,
  ...options
}: ReadReplicaOptions): Promise<OpenReadReplica> {
  const { openPostgres } = await import('./engine/postgres.ts');
  return createReadReplica(openPostgres(url, reportFailure, TIMEOUT_MILLISECONDS), options);
}

export function createReadReplica(
  database: SqlDatabase,
  { readIdentities, clock, log }: Omit<ReadReplicaOptions, 'url' | 'reportFailure'>,
): OpenReadReplica {
  const { listOwnership } = createOwnership(database);
  const { listFleet } = createAltFleets(database);
  const lists: ListStore = { listOwnership, listFleet };
  const own = createIdentities(database);
  let isOfSame = false;
  let judged: Unfit | 'fit' | undefined;
  let judgedAtMilliseconds = -Infinity;

  async function readOfSame<T>(list: (copy: ListStore) => Promise<T>): Promise<T | undefined> {
    isOfSame ||= (await own.readIdentities()) === (await readIdentities());
    return isOfSame ? list(lists) : undefined;
  }

  function note(now: Unfit | 'fit'): void {
    judgedAtMilliseconds = clock.nowMilliseconds();
    if (now === judged) return;
    judged = now;
    if (judged === 'fit') log.info({}, 'lists are read from the copy');
    else log.warn({ reason: judged }, 'the copy for lists is not used; lists are read from the database itself');
  }

  return {
    async tryReplica(list, isFit) {
      const now = clock.nowMilliseconds();
      if (judged !== 'fit') {
        if (Math.abs(now - judgedAtMilliseconds) < RETRY_AFTER_MILLISECONDS) return undefined;
        // Nobody else waits for a copy that is being tried.
        judgedAtMilliseconds = now;
      }
      try {
        const page = await Promise.race([readOfSame(list), giveUp()]);
        const isUsable = page !== undefined && isFit(page);
        note(page === undefined ? 'another index' : isUsable ? 'fit' : 'lags');
        return isUsable ? page : undefined;
      } catch (error) {
        // What answers next may be another database.
        isOfSame = false;
        note('fails');
        if (error instanceof Fault && error.kind === 'StoreUnavailable') return undefined;
        throw error;
      }
    },
    close: () => Promise.race([database.close(), delay(CLOSE_TIMEOUT_MILLISECONDS, undefined, { ref: false })]),
  };
}

async function giveUp(): Promise<never> {
  await delay(TIMEOUT_MILLISECONDS, undefined, { ref: false });
  throw new Fault('StoreUnavailable', {});
}
