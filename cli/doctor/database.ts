/** Check of the database: it accepts a write, and its schema is that of this release. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { Config } from '../../src/config.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import { ok, unreachable, warn, type Finding } from './check-result.ts';

/**
 * Opens an existing database as the service does, which migrates its schema, and stores what the rehearsal learned about
 * the nodes. Creates none.
 */
export async function examineDatabase({ database }: Config, profiles: NodeProfiles): Promise<Finding> {
  const examineStore = (url: string, remedy: string) => examineAt(url, profiles, remedy);
  if (database.kind === 'postgres') return examineStore(database.url, 'check the server and the credentials');
  if (database.path === ':memory:') {
    return warn('DATABASE_URL', 'in memory, so every start rebuilds the index', 'name a file to keep it');
  }
  if (existsSync(database.path)) return examineStore(`sqlite:${database.path}`, 'check the file and its owner');
  return examineFolder(dirname(resolve(database.path)));
}

async function examineAt(url: string, profiles: NodeProfiles, remedy: string): Promise<Finding> {
  let reason = '';
  try {
    const store = await createStore(url, { reportFailure: (kind) => (reason = ` (${kind})`) });
    try {
      await store.checkWritable();
      await store.writeNodeProfiles(profiles, Math.floor(Date.now() / 1000));
    } finally {
      await store.close();
    }
    return ok('DATABASE_URL', 'writable, with the schema of this release');
  } catch {
    return unreachable('DATABASE_URL', `cannot be opened or written${reason}`, remedy);
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
