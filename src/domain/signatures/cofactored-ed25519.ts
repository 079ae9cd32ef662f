/**
 * Ed25519 verification with the cofactor, for payout proofs (design/scoring.md, Payout proof): canonical encodings, S below the order, no
 * key of small order.
 */
import { ed25519 } from '@noble/curves/ed25519.js';

/** Returns whether the signature (64 bytes) of the key (32 bytes) satisfies the equation with the cofactor. Never throws. */
export function satisfiesCofactoredEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return ed25519.verify(signature, message, key, { zip215: false });
}
