/**
 * Decryption of keystore files (JSON v3, the "Web3 Secret Storage" of main-chain wallets). Never throws on any text. The cost of the
 * key derivation that a file requests is bounded.
 */
import { createDecipheriv, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
// Not OpenSSL: it rejects parameters that wallets use (n beyond 2^(16 r)) and is no faster.
import { scrypt } from '@noble/hashes/scrypt.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';

/** Fixed texts; none contains anything from the file. */
export type KeystoreProblem =
  | 'no keystore' // not a JSON object of version 3
  | 'unknown cipher'
  | 'unknown key derivation'
  | 'too costly'
  | 'wrong passphrase'; // or a modified file

export type KeystoreResult =
  | { readonly secret: Uint8Array; readonly problem?: never }
  | { readonly problem: KeystoreProblem; readonly secret?: never };

const DERIVED_BYTES = 32;
const MAX_SCRYPT_BYTES = 512 * 1024 * 1024;
const MAX_PARALLEL = 16;
const MAX_PBKDF2_ROUNDS = 10_000_000;

type Members = Readonly<Record<string, unknown>>;

/** Decrypts a keystore file to its secret, or returns what is wrong with it. */
export function decryptKeystore(text: string, passphrase: string): KeystoreResult {
  const file = parseMembers(text);
  const crypto = toMembers(file?.['crypto'] ?? file?.['Crypto']);
  const ciphertext = toBytes(crypto?.['ciphertext']);
  const mac = toBytes(crypto?.['mac']);
  if (file?.['version'] !== 3 || crypto === undefined || ciphertext === undefined || mac?.length !== DERIVED_BYTES) {
    return { problem: 'no keystore' };
  }
  const iv = toBytes(toMembers(crypto['cipherparams'])?.['iv']);
  if (crypto['cipher'] !== 'aes-128-ctr' || iv?.length !== 16) return { problem: 'unknown cipher' };
  const derived = deriveKey(crypto['kdf'], toMembers(crypto['kdfparams']) ?? {}, passphrase);
  if (typeof derived === 'string') return { problem: derived };
  const expected = keccak_256(concatBytes(derived.subarray(16, 32), ciphertext));
  if (!timingSafeEqual(expected, mac)) return { problem: 'wrong passphrase' };
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  return { secret: concatBytes(decipher.update(ciphertext), decipher.final()) };
}

function deriveKey(kdf: unknown, parameters: Members, passphrase: string): Uint8Array | KeystoreProblem {
  const salt = toBytes(parameters['salt']);
  if (salt === undefined || parameters['dklen'] !== DERIVED_BYTES) return 'unknown key derivation';
  const password = passphrase.normalize('NFKC');
  if (kdf === 'scrypt') {
    const [n, r, p] = [toCount(parameters['n']), toCount(parameters['r']), toCount(parameters['p'])];
    if (n < 2 || (n & (n - 1)) !== 0 || r < 1 || p < 1) return 'unknown key derivation';
    if (128 * n * r > MAX_SCRYPT_BYTES || p > MAX_PARALLEL) return 'too costly';
    return scrypt(password, salt, { N: n, r, p, dkLen: DERIVED_BYTES });
  }
  const rounds = toCount(parameters['c']);
  if (kdf !== 'pbkdf2' || parameters['prf'] !== 'hmac-sha256' || rounds < 1) return 'unknown key derivation';
  if (rounds > MAX_PBKDF2_ROUNDS) return 'too costly';
  return pbkdf2Sync(password, salt, rounds, DERIVED_BYTES, 'sha256');
}

function parseMembers(text: string): Members | undefined {
  try {
    return toMembers(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function toMembers(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}

function toBytes(value: unknown): Uint8Array | undefined {
  const isHex = typeof value === 'string' && /^(?:0x)?(?:[0-9a-f]{2})+$/i.test(value);
  return isHex ? Uint8Array.from(Buffer.from(value.replace(/^0x/i, ''), 'hex')) : undefined;
}

/** Returns 0 for anything but a positive integer below 2^31, which is safe for 32-bit arithmetic. */
function toCount(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) < 2 ** 31 ? (value as number) : 0;
}
