/** Software chip: signs as a chip does, with a key from a file (evidence 6.2). For onboarding without hardware, and for tests. */
import { p256 } from '@noble/curves/nist.js';

/** Signs a prehash (32 bytes) without another hash; returns r and s with low s. `secret`: 32 bytes, in 1 to n - 1. */
export function signAsChip(secret: Uint8Array, prehash: Uint8Array): Uint8Array {
  return p256.sign(prehash, secret, { prehash: false, lowS: true });
}
