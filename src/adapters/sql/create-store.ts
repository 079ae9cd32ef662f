/** Store factory: SQLite or PostgreSQL by `DATABASE_URL` (configuration 1), behind the `Store` port. */
import type { Store } from '../../ports/store.ts';
import { toStoreUnavailable, type ReportFailure } from './engine/database-failure.ts';
import { parseDatabaseUrl, type DatabaseLocation } from './engine/database-url.ts';
import { createAltEvents } from './alt-chain/events.ts';
import { createAltFleets } from './alt-chain/fleets.ts';
import { createChangeStore } from './changes/change-store.ts';
import { createDirectoryStore } from './changes/directory-store.ts';
import { createWebhookStore } from './changes/webhook-store.ts';
import { createChipStore } from './service/chip-store.ts';
import { createDecisions } from './service/decisions.ts';
import { createNodeProfiles } from './service/node-profiles.ts';
import { createStatementKeys } from './service/statement-keys.ts';
import { createRatingStates } from './main-chain/rating-states.ts';
import { createOwnership } from './main-chain/ownership-lists.ts';
import { createPaymentStore } from './payments/payment-store.ts';
import { createFxRates } from './rating/fx-rates.ts';
import { createIdentities } from './schema/index-identities.ts';
import { createIndexProofStore } from './main-chain/index-proof-store.ts';
import { createMainChainIndexStore } from './main-chain/main-chain-index.ts';
import { migrate, SchemaTooNew, SchemaTooOld } from './schema/migrate.ts';
import { openSqlite } from './engine/sqlite.ts';
import type { SqlDatabase } from './engine/sql-program.ts';
import { createWriteCheck } from './engine/write-check.ts';

export interface StoreOptions {
  /** Receives the code of every database failure. */
  readonly reportFailure?: ReportFailure;
  /** False: tables of an earlier release, whose service may be running, fail with `SCHEMA_TOO_OLD` instead of being migrated. */
  readonly migratesOlder?: boolean;
}

/** Opens the database, creating the folder of a SQLite file, and then the store. Throws like `openStore`. */
export async function createStore(database: string | DatabaseLocation, options: StoreOptions = {}): Promise<Store> {
  const location = typeof database === 'string' ? parseDatabaseUrl(database) : database;
  if (location === undefined) throw new TypeError('a database URL begins with sqlite: or postgres://');
  const report = options.reportFailure ?? (() => undefined);
  return openStore(await open(location, report), report, options.migratesOlder);
}

/**
 * Migrates the database and opens the store on it; closing the store closes the database. Throws `StoreUnavailable` when migration
 * fails, a newer release has migrated the database, or an earlier one has and `migratesOlder` is false.
 */
export async function openStore(database: SqlDatabase, report: ReportFailure, migratesOlder?: boolean): Promise<Store> {
  try {
    await database.upgrade(migrate(database.dialect, undefined, migratesOlder));
  } catch (error) {
    await database.close();
    const isOther = error instanceof SchemaTooNew || error instanceof SchemaTooOld;
    throw isOther ? toStoreUnavailable(error, report) : error;
  }
  return {
    ...createIdentities(database),
    ...createMainChainIndexStore(database),
    ...createIndexProofStore(database),
    ...createOwnership(database),
    ...createRatingStates(database),
    ...createFxRates(database),
    ...createDecisions(database),
    ...createChipStore(database),
    ...createPaymentStore(database),
    ...createChangeStore(database),
    ...createDirectoryStore(database),
    ...createWebhookStore(database),
    ...createStatementKeys(database),
    ...createAltEvents(database),
    ...createAltFleets(database),
    ...createNodeProfiles(database),
    checkWritable: createWriteCheck(database),
    close: () => database.close(),
  };
}

/** Opens the database. The PostgreSQL driver, about 5 MB, is loaded only when used. */
async function open(location: DatabaseLocation, report: ReportFailure): Promise<SqlDatabase> {
  if (location.kind === 'sqlite') return openSqlite(location.path, report);
  const { openPostgres } = await import('./engine/postgres.ts');
  return openPostgres(location.url, report);
}
