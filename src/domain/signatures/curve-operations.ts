/**
 * Elliptic-curve operations of signature verification. Two implementations accept and reject the same inputs: `portable-curves.ts` for every
 * platform, `native-curves.ts` for speed. Inputs must follow the encoding rules; `signature-checks.ts`, the only caller, checks them.
 */

export interface CurveOperations {
  /**
   * Recovers the secp256k1 key that signed `digest` (32 bytes): 65 bytes, uncompressed; undefined when there is none.
   * `rs` has 64 bytes, both scalars in 1 to n - 1; R has x = r, and y of the given parity.
   */
  recoverSecp256k1(digest: Uint8Array, rs: Uint8Array, parity: 0 | 1): Uint8Array | undefined;
  /**
   * Returns whether [S]B = R + [k]A holds on edwards25519, without a cofactor; k = SHA-512(R, A, message) reduced modulo L.
   * `key` is A (32 bytes), `signature` is R and S (64 bytes): canonical encodings, though perhaps of no point, and S < L.
   */
  satisfiesEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}
