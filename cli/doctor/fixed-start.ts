/** Findings about `MAIN_START_BLOCK` beside a database that holds the index: another value would make another index. */
import { existsSync } from 'node:fs';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { Config } from '../../src/config.ts';
import { EMPTY_DATABASE } from '../../src/domain/index-rules/index-cause.ts';
import { ok, type Finding } from './check-result.ts';
import { examineIndexedDeployments } from './indexed-deployments.ts';

/**
 * Returns whether the database holds blocks of the configured deployment. Tables of an earlier release cannot be read, and count as such.
 * Returns false for a database that cannot be opened, which its own check reports.
 */
export async function holdsBlocks({ database, mainChain }: Config): Promise<boolean> {
  if (mainChain === undefined || (database.kind === 'sqlite' && !existsSync(database.path))) return false;
  let isOlder = false;
  const reportFailure = (code: string) => void (isOlder ||= code === 'SCHEMA_TOO_OLD');
  try {
    const store = await createStore(database, { reportFailure, migratesOlder: false });
    try {
      if ((await store.readMainChainCheckpoint()) === undefined) return false;
      return (await examineIndexedDeployments(store, { mainChain, altChain: undefined })).length === 0;
    } finally {
      await store.close();
    }
  } catch {
    return isOlder;
  }
}

/** Returns the finding without the advice of another start block. A later first block saves nothing any more. */
export function keepStart(finding: Finding): Finding {
  const { state, subject, text, remedy = '' } = finding;
  if (!remedy.startsWith('set MAIN_START_BLOCK')) return finding;
  if (state === 'warn') return ok(subject, `${text}; fixed, because blocks are indexed`);
  return { ...finding, remedy: `it is fixed, because blocks are indexed; for another one, ${EMPTY_DATABASE}` };
}
