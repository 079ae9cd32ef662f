/** Does the database take a write, and does it know the tables of this release? */
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { Config } from '../../src/config.ts';
import { ok, unreachable, type Finding } from './finding.ts';

/** Opens it as the service does, which makes what is missing. */
export async function examineDatabase({ database }: Config): Promise<Finding> {
  let reason: string | undefined;
  try {
    const store = await createStore(database, { reportFailure: (word) => (reason = word) });
    await store.checkWritable().finally(() => store.close());
    return ok('DATABASE_URL', `${database.kind}, writable, tables up to date`);
  } catch {
    const remedy = database.kind === 'sqlite' ? 'check the folder and its owner' : 'check the server and its users';
    return unreachable('DATABASE_URL', `cannot be written${reason === undefined ? '' : ` (${reason})`}`, remedy);
  }
}
