/**
 * Onboarding token of a provider, from a file or from SVC_ONBOARDING_TOKEN; never from the command line, which other users of the system
 * can read. No message contains any part of it.
 */
import { readFile } from 'node:fs/promises';
import { loadOnboardingToken } from '../../src/config.ts';
import { CommandFailed } from '../exit-codes.ts';

/** Characters that a header can carry (evidence 12). */
const TOKEN = /^[\x21-\x7e]{1,512}$/;

/** Reads the token from `file`, or from SVC_ONBOARDING_TOKEN when undefined. Throws `CommandFailed`. */
export async function readOnboardingToken(file: string | undefined): Promise<string> {
  const text = file === undefined ? loadOnboardingToken() : await readFile(file, 'utf8').catch(refuseFile);
  if (text === undefined)
    throw new CommandFailed('usage', 'no onboarding token: pass --token-file PATH or set SVC_ONBOARDING_TOKEN');
  const token = text.trim();
  if (TOKEN.test(token)) return token;
  const source = file === undefined ? 'SVC_ONBOARDING_TOKEN' : '--token-file';
  throw new CommandFailed('usage', `${source}: must be 1 to 512 visible ASCII characters`);
}

function refuseFile(): never {
  throw new CommandFailed('usage', '--token-file: the file cannot be read');
}
