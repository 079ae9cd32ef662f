/**
 * Keys of the alt chain: accounts, programs and wallets are 32 bytes in base58 ("Machine identifier" of the interface, http-facts 3).
 * Parsing is total, and equal texts are equal keys.
 */
import { formatBase58, parseBase58Exactly } from './base58.ts';

declare const brand: unique symbol;

/** Base58 of exactly 32 bytes. */
export type AltKey = string & { readonly [brand]: 'AltKey' };

export const ALT_KEY_BYTES = 32;

/** Parses 32 to 44 base58 characters; does not trim. */
export function parseAltKey(text: string): AltKey | undefined {
  return parseBase58Exactly(text, ALT_KEY_BYTES) === undefined ? undefined : (text as AltKey);
}

/** Returns the 32 bytes of a key. */
export function altKeyBytes(key: AltKey): Uint8Array {
  return parseBase58Exactly(key, ALT_KEY_BYTES)!;
}

/** Formats 32 bytes as a key. Throws `RangeError` for any other length. */
export function formatAltKey(bytes: Uint8Array): AltKey {
  if (bytes.length !== ALT_KEY_BYTES) throw new RangeError('a key has 32 bytes');
  return formatBase58(bytes) as AltKey;
}
