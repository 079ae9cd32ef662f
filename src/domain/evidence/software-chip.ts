/** A chip in software: who signs as a chip does, where the key is a file? (evidence 6.2.) For onboarding without hardware, and for tests. */
import { p256 } from '@noble/curves/nist.js';

/** `secret`: 32 bytes, in 1 to n - 1. Signs the 32 bytes of the prehash as they are; r and s, with low s. */
export function signAsChip(secret: Uint8Array, prehash: Uint8Array): Uint8Array {
  return p256.sign(prehash, secret, { prehash: false, lowS: true });
}
