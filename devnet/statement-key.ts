/** Key of rating statements on the devnet: throw-away, and the same in every devnet. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountOf } from './accounts.ts';

const OWNER_ONLY = 0o600;

/** Writes the key into the devnet folder and returns the path of its file. */
export function writeStatementKey(dir: string): string {
  const path = join(dir, 'statement.key');
  writeFileSync(path, `${accountOf('statements').key}\n`, { mode: OWNER_ONLY });
  return path;
}
