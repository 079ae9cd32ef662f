/** P-256 points and signatures (evidence 6.2; 7, row 6). */
import { p256 } from '@noble/curves/nist.js';
import { createPublicKey, verify } from 'node:crypto';
import { isLowS, toNumber } from './low-s.ts';

/** Uncompressed point: `04`, X and Y. */
export const P256_POINT_BYTES = 65;
const COORDINATE_BYTES = 32;

const { p: PRIME, a: A, b: B, n: ORDER } = p256.Point.CURVE();

/** Returns whether an uncompressed point (65 bytes) is on the curve. */
export function isOnP256(point: Uint8Array): boolean {
  const x = toNumber(point.subarray(1, 1 + COORDINATE_BYTES));
  const y = toNumber(point.subarray(1 + COORDINATE_BYTES));
  return x < PRIME && y < PRIME && (y * y - (x * x * x + A * x + B)) % PRIME === 0n;
}

/**
 * Returns whether the key signed the SHA-256 of `preimage` with low s. `publicKeyInfo`: DER of a key whose point is on the curve;
 * `rs`: r and s of 32 bytes each.
 */
export function isSignedByP256(publicKeyInfo: Uint8Array, preimage: Uint8Array, rs: Uint8Array): boolean {
  if (!isLowS(rs, ORDER)) return false;
  const key = createPublicKey({ key: Buffer.from(publicKeyInfo), format: 'der', type: 'spki' });
  return verify('sha256', preimage, { key, dsaEncoding: 'ieee-p1363' }, rs);
}
