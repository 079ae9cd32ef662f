/** Check that no other local chains run from a folder. A second start would overwrite their settings and the demo database. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnvFile } from '../src/config/env-file.ts';
import { CommandFailed } from './exit-codes.ts';

const TIMEOUT_MILLISECONDS = 2_000;

/** Throws `CommandFailed` when the node in the folder's settings responds. */
export async function requireFreeFolder(dir: string): Promise<void> {
  const file = join(dir, 'env');
  if (!existsSync(file)) return;
  const url = parseEnvFile(readFileSync(file, 'utf8')).variables.get('MAIN_RPC_URLS');
  if (url === undefined || !(await responds(url))) return;
  throw new CommandFailed(
    'refused',
    `other local chains run from ${dir}; stop them, or choose another folder with --dir`,
  );
}

async function responds(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const response = await fetch(url, { method: 'POST', body: '{}', signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
