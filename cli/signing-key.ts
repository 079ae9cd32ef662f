/**
 * Signing key of a command, from a file (`0x` and 64 hex digits, an encrypted keystore, or the 64 hex digits of an Ed25519 seed for the
 * alt chain) or from the environment; never from the command line, which other users of the system can read. No message
 * contains any part of a key.
 */
import { readFile } from 'node:fs/promises';
import { loadSigningSecrets } from '../src/config.ts';
import {
  createAltChainKey,
  createMainChainKey,
  isMainChainSecret,
  type AltChainKey,
  type MainChainKey,
} from '../src/domain/signatures/account-keys.ts';
import { decryptKeystore } from '../src/domain/signatures/keystore.ts';
import { CommandFailed } from './exit-codes.ts';
import { promptPassphrase } from './passphrase-prompt.ts';

/** Without `0x` the digits are an Ed25519 seed. */
const HEX_KEY = /^(0x)?([0-9a-fA-F]{64})$/;

export type SigningKey =
  { readonly chain: 'main'; readonly key: MainChainKey } | { readonly chain: 'alt'; readonly key: AltChainKey };

/** Loads the key from `keyFile`, or from SVC_KEY when undefined. Throws `CommandFailed`. */
export async function loadSigningKey(keyFile: string | undefined): Promise<SigningKey> {
  const { key, passphrase } = loadSigningSecrets();
  if (keyFile === undefined) {
    if (key === undefined) throw new CommandFailed('usage', 'no signing key: pass --key-file PATH or set SVC_KEY');
    return toKey(key, 'SVC_KEY');
  }
  const text = await readFile(keyFile, 'utf8').catch(() => {
    throw new CommandFailed('usage', '--key-file: the file cannot be read');
  });
  if (!text.trimStart().startsWith('{')) return toKey(text, '--key-file');
  const { secret, problem } = decryptKeystore(text, passphrase ?? (await promptPassphrase('keystore passphrase: ')));
  if (problem !== undefined) throw new CommandFailed('usage', `--key-file: ${problem}`);
  return checkSecret(secret, '--key-file');
}

function toKey(text: string, source: string): SigningKey {
  const [, prefix, digits] = HEX_KEY.exec(text.trim()) ?? [];
  if (digits === undefined) {
    const forms = '0x and 64 hex digits, a version 3 keystore, or the 64 hex digits of an Ed25519 seed';
    throw new CommandFailed('usage', `${source}: must be ${forms}`);
  }
  const secret = Uint8Array.from(Buffer.from(digits, 'hex'));
  return prefix === undefined ? { chain: 'alt', key: createAltChainKey(secret) } : checkSecret(secret, source);
}

function checkSecret(secret: Uint8Array, source: string): SigningKey {
  if (!isMainChainSecret(secret)) throw new CommandFailed('usage', `${source}: not a valid key of the main chain`);
  return { chain: 'main', key: createMainChainKey(secret) };
}
