/**
 * With which key does a command sign? From a file (`0x` and 64 hex digits, or an encrypted keystore), or from the environment;
 * never from the command line, which other users of a machine can read. No message holds anything of a key.
 */
import { readFile } from 'node:fs/promises';
import { loadSigningSecrets } from '../src/config.ts';
import { createMainChainKey, isMainChainSecret, type MainChainKey } from '../src/domain/signatures/account-keys.ts';
import { decryptKeystore } from '../src/domain/signatures/keystore.ts';
import { CommandFailed } from './exit-codes.ts';
import { askPassphrase } from './passphrase-prompt.ts';

const HEX_KEY = /^0x[0-9a-fA-F]{64}$/;

/** Throws `CommandFailed`. */
export async function loadSigningKey(keyFile: string | undefined): Promise<MainChainKey> {
  const { key, passphrase } = loadSigningSecrets();
  if (keyFile === undefined) {
    if (key === undefined) throw new CommandFailed('usage', 'no key: give --key-file PATH, or set SVC_KEY');
    return toKey(key, 'SVC_KEY');
  }
  const text = await readFile(keyFile, 'utf8').catch(() => {
    throw new CommandFailed('usage', '--key-file: the file cannot be read');
  });
  if (!text.trimStart().startsWith('{')) return toKey(text, '--key-file');
  const { secret, problem } = decryptKeystore(
    text,
    passphrase ?? (await askPassphrase('passphrase of the keystore: ')),
  );
  if (problem !== undefined) throw new CommandFailed('usage', `--key-file: ${problem}`);
  return checkSecret(secret, '--key-file');
}

function toKey(text: string, source: string): MainChainKey {
  const digits = text.trim();
  if (!HEX_KEY.test(digits)) {
    throw new CommandFailed('usage', `${source}: must be 0x and 64 hex digits, or a keystore of version 3`);
  }
  return checkSecret(Uint8Array.from(Buffer.from(digits.slice(2), 'hex')), source);
}

function checkSecret(secret: Uint8Array, source: string): MainChainKey {
  if (!isMainChainSecret(secret)) throw new CommandFailed('usage', `${source}: is no key of the main chain`);
  return createMainChainKey(secret);
}
