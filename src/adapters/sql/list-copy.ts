/**
 * May a page of a list come from a copy of the database? It may when the copy holds the index of the same deployments, and answers soon; one that does not is left alone for a while. How far it
 * lags is told with each page, and judged by whoever asked. Nothing is written to it, and nothing is migrated.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../domain/faults.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ListStore } from '../../ports/list-store.ts';
import type { Log } from '../../ports/log.ts';
import { createAltFleets } from './alt-fleets.ts';
import type { ReportFailure } from './database-failure.ts';
import { createOwnership } from './holdings.ts';
import { createIdentities } from './index-identities.ts';
import type { SqlDatabase } from './work.ts';

export interface ListCopyOptions {
  readonly url: string;
  /** Of the database that is copied. */
  readonly readIdentities: () => Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  readonly reportFailure: ReportFailure;
}

export interface ListCopy extends ListStore {
  close(): Promise<void>;
}

/** A list that waits for longer is better asked elsewhere. */
const PATIENCE_MILLISECONDS = 1_000;
const LEFT_ALONE_MILLISECONDS = 5_000;

/** Connects to nothing yet. Both reads throw `StoreUnavailable` when the copy is not to be used. */
export async function openListCopy({ url, reportFailure, ...options }: ListCopyOptions): Promise<ListCopy> {
  const { openPostgres } = await import('./postgres.ts');
  return createListCopy(openPostgres(url, reportFailure), options);
}

export function createListCopy(
  database: SqlDatabase,
  { readIdentities, clock, log }: Omit<ListCopyOptions, 'url' | 'reportFailure'>,
): ListCopy {
  const { listHoldings } = createOwnership(database);
  const { listFleet } = createAltFleets(database);
  const own = createIdentities(database);
  let isOfSame = false;
  let isUsed: boolean | undefined;
  let askAgainFrom = -Infinity;

  async function use<T>(read: () => Promise<T>): Promise<T> {
    if (clock.nowMilliseconds() < askAgainFrom) throw new Fault('StoreUnavailable', {});
    try {
      const value = await Promise.race([readOfSame(read), giveUp()]);
      note(true);
      return value;
    } catch (error) {
      // What answers next may be another database.
      isOfSame = false;
      askAgainFrom = clock.nowMilliseconds() + LEFT_ALONE_MILLISECONDS;
      note(false);
      throw error;
    }
  }

  async function readOfSame<T>(read: () => Promise<T>): Promise<T> {
    isOfSame ||= (await own.readIdentities()) === (await readIdentities());
    if (!isOfSame) throw new Fault('StoreUnavailable', {});
    return read();
  }

  function note(isUsedNow: boolean): void {
    if (isUsedNow === isUsed) return;
    isUsed = isUsedNow;
    if (isUsed) log.info({}, 'lists are read from the copy');
    else
      log.warn(
        {},
        'the copy for lists does not answer, or holds another index; lists are read from the database itself',
      );
  }

  return {
    listHoldings: (...question) => use(() => listHoldings(...question)),
    listFleet: (...question) => use(() => listFleet(...question)),
    close: () => database.close(),
  };
}

async function giveUp(): Promise<never> {
  await delay(PATIENCE_MILLISECONDS, undefined, { ref: false });
  throw new Fault('StoreUnavailable', {});
}
