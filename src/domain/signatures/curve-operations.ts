/**
 * Which arithmetic do signatures rest on? Two operations that accept and refuse alike wherever they are computed: in
 * `portable-curves.ts` for every platform, in `native-curves.ts` at the speed of this one. They trust the form of what they are
 * given; `signature-checks.ts` has judged it, and is the only caller.
 */

export interface CurveOperations {
  /**
   * The secp256k1 key that signed `digest` (32 bytes): 65 bytes, uncompressed. Undefined: there is none.
   * `rs` are 64 bytes, both scalars in 1 to n - 1; R has x = r, and y of the parity given.
   */
  recoverSecp256k1(digest: Uint8Array, rs: Uint8Array, parity: 0 | 1): Uint8Array | undefined;
  /**
   * Tells whether [S]B = R + [k]A holds on edwards25519: without a cofactor, k = SHA-512(R, A, message) reduced modulo L.
   * `key` are the 32 bytes of A, `signature` the 64 of R and S: canonical encodings, though perhaps of no point, and S < L.
   */
  satisfiesEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}
