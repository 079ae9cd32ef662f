/**
 * Stores what the rehearsal has learned about the nodes, so that the first start needs not learn it again
 * (design/real-chains.md 7). A database that does not exist yet is not created.
 */
import { existsSync } from 'node:fs';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { Config } from '../../src/config.ts';
import { formatCount } from '../../src/domain/index-rules/index-cause.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import { ok, type Finding } from './check-result.ts';

/** Returns no finding where nothing is stored; the check of the database reports why. */
export async function storeNodeProfiles(
  { database }: Pick<Config, 'database'>,
  profiles: NodeProfiles,
  nowSeconds: number,
): Promise<Finding[]> {
  if (profiles.size === 0) return [];
  if (database.kind === 'sqlite' && !existsSync(database.path)) return [];
  try {
    const store = await createStore(database, { migratesOlder: false });
    await store.writeNodeProfiles(profiles, nowSeconds).finally(() => store.close());
    return [ok('rehearsal', `${formatCount(profiles.size, 'node profile')} stored for the next start`)];
  } catch {
    return [];
  }
}
