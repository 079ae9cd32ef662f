/** Checks of the database: it accepts a write, its schema is that of this release, and its indexes are of the configured deployments. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { Config } from '../../src/config.ts';
import { explainCause } from '../../src/domain/index-rules/index-cause.ts';
import { explainDatabaseFailure } from '../database-remedies.ts';
import { ok, unreachable, warn, type Finding } from './check-result.ts';
import { examineIndexedDeployments } from './indexed-deployments.ts';
import { toCauseFinding } from './rehearsal/cause-finding.ts';

const UPGRADE =
  'the first start of this release migrates them, forward only; back up first, and read the upgrade notes in CHANGELOG.md';

/**
 * Opens an existing database as the service does, and leaves the tables of an earlier release, whose service may be running, to the next
 * start. Creates no file.
 */
export async function examineDatabase(config: Config): Promise<Finding[]> {
  const { database } = config;
  if (database.kind === 'postgres') return examineStore(config);
  if (database.path === ':memory:') {
    return [warn('DATABASE_URL', 'in memory, so every start rebuilds the index', 'name a file to keep it')];
  }
  if (existsSync(database.path)) return examineStore(config);
  return [examineFolder(dirname(resolve(database.path)))];
}

async function examineStore(config: Config): Promise<Finding[]> {
  let code = 'UNKNOWN';
  const reportFailure = (reported: string) => (code = reported);
  try {
    const store = await createStore(config.database, { reportFailure, migratesOlder: false });
    try {
      await store.checkWritable();
      const findings = await examineIndexedDeployments(store, config);
      return findings.length > 0 ? findings : [ok('DATABASE_URL', 'writable, with the schema of this release')];
    } finally {
      await store.close();
    }
  } catch {
    if (code === 'SCHEMA_TOO_OLD') return [warn('DATABASE_URL', 'the tables are of an earlier release', UPGRADE)];
    const finding = toCauseFinding(explainCause({ kind: 'store-unavailable' }));
    return [{ ...finding, remedy: explainDatabaseFailure(code) }];
  }
}

/** Finds the closest existing folder, in which the service would create the others. */
function examineFolder(folder: string): Finding {
  if (!existsSync(folder) && folder !== dirname(folder)) return examineFolder(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return ok('DATABASE_URL', 'no file yet; the first start creates it');
  } catch {
    return unreachable('DATABASE_URL', 'its folder is not writable', 'check the folder and its owner');
  }
}
