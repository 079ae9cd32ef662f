/**
 * Accounts of the local alt chain: Ed25519 keys with throw-away seeds, each derived from its name like the accounts of the main chain, with
 * another prefix, so that no seed is also a main-chain key.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';

export interface AltAccount {
  readonly name: string;
  readonly key: AltKey;
  /** 32 bytes. */
  readonly seed: Uint8Array;
}

/** Administers the programs and the binding registry. */
export const ALT_ADMIN_NAME = 'alt admin';
/** Imports machines and closes their logs. */
export const ALT_LIFECYCLE_NAME = 'alt lifecycle authority';

const known = new Map<string, AltAccount>();

/** Returns the account of a name. */
export function altAccountOf(name: string): AltAccount {
  let account = known.get(name);
  if (account === undefined) {
    const seed = new Uint8Array(createHash('sha256').update(`devnet alt account ${name}`).digest());
    account = { name, key: publicKeyOf(seed), seed };
    known.set(name, account);
  }
  return account;
}

/** What stands before the seed in a PKCS #8 document of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function publicKeyOf(seed: Uint8Array): AltKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return formatAltKey(new Uint8Array(Buffer.from(x!, 'base64url')));
}

/** Formats the seed for the fixtures: 64 hex digits. */
export function formatSeed({ seed }: AltAccount): string {
  return Buffer.from(seed).toString('hex');
}
