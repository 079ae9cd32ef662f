/** Does the database take a write, and does it know the tables of this release? */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { Config } from '../../src/config.ts';
import { ok, unreachable, warn, type Finding } from './check-result.ts';

/** Opens a database that is there as the service does, which brings its tables up to date; makes none. */
export async function examineDatabase({ database }: Config): Promise<Finding> {
  if (database.kind === 'postgres') return examineStore(database.url, 'check the server and its users');
  if (database.path === ':memory:') {
    return warn('DATABASE_URL', 'in memory', 'the index is read anew after every start, unless it names a file');
  }
  if (existsSync(database.path)) return examineStore(`sqlite:${database.path}`, 'check the file and its owner');
  return examineFolder(dirname(resolve(database.path)));
}

async function examineStore(url: string, remedy: string): Promise<Finding> {
  let reason = '';
  try {
    const store = await createStore(url, { reportFailure: (word) => (reason = ` (${word})`) });
    await store.checkWritable().finally(() => store.close());
    return ok('DATABASE_URL', 'writable, and its tables are of this release');
  } catch {
    return unreachable('DATABASE_URL', `cannot be opened or written${reason}`, remedy);
  }
}

/** The first folder above that is there is the one in which the service would make the others. */
function examineFolder(folder: string): Finding {
  if (!existsSync(folder) && folder !== dirname(folder)) return examineFolder(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return ok('DATABASE_URL', 'no file yet; the first start makes it');
  } catch {
    return unreachable('DATABASE_URL', 'its folder cannot be written', 'check the folder and its owner');
  }
}
