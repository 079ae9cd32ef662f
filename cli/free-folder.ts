/** Do other local chains run from this folder? A second start would take their settings away, and the database of a demo. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnvFile } from '../src/config/env-file.ts';
import { CommandFailed } from './exit-codes.ts';

const ANSWER_WITHIN_MILLISECONDS = 2_000;

/** Throws `CommandFailed` when the node that the folder's settings name answers. */
export async function requireFreeFolder(dir: string): Promise<void> {
  const file = join(dir, 'env');
  if (!existsSync(file)) return;
  const url = parseEnvFile(readFileSync(file, 'utf8')).variables.get('MAIN_RPC_URLS');
  if (url === undefined || !(await isAnswered(url))) return;
  throw new CommandFailed('refused', `other local chains run from ${dir}; end them, or take another folder with --dir`);
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MILLISECONDS);
    const answer = await fetch(url, { method: 'POST', body: '{}', signal });
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
