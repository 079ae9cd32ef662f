/**
 * Parsing of signature texts (monetization of the interface, http-facts 9.4). Only the syntax is checked; `signature-checks.ts` verifies.
 * Parsing never throws and trims nothing, and no text matches both syntaxes.
 */
import { hexToBytes } from '@noble/hashes/utils.js';
import { parseBase58Exactly } from '../identifiers/base58.ts';

declare const brand: unique symbol;

/** `0x` and 130 hex digits of any letter case: r, s, and the recovery byte. */
export type RecoverableSignature = `0x${string}` & { readonly [brand]: 'RecoverableSignature' };
/** Base58 of exactly 64 bytes: R and S. */
export type Ed25519Signature = string & { readonly [brand]: 'Ed25519Signature' };

const RECOVERABLE = /^0x[0-9a-fA-F]{130}$/;
const ED25519_SIGNATURE_BYTES = 64;

/** Parses `0x` and 130 hex digits. */
export function parseRecoverableSignature(text: string): RecoverableSignature | undefined {
  return RECOVERABLE.test(text) ? (text as RecoverableSignature) : undefined;
}

/** Parses 64 to 88 base58 characters. */
export function parseEd25519Signature(text: string): Ed25519Signature | undefined {
  const bytes = parseBase58Exactly(text, ED25519_SIGNATURE_BYTES);
  return bytes === undefined ? undefined : (text as Ed25519Signature);
}

/** Decodes the 65 bytes of a signature. */
export function recoverableSignatureBytes(signature: RecoverableSignature): Uint8Array {
  return hexToBytes(signature.slice(2));
}

/** Decodes the 64 bytes of a signature. */
export function ed25519SignatureBytes(signature: Ed25519Signature): Uint8Array {
  return parseBase58Exactly(signature, ED25519_SIGNATURE_BYTES)!;
}
