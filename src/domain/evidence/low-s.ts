/**
 * Is an ECDSA signature the one of its two forms that counts? (evidence 6.2 and 6.3.) With s it could as well be written with n - s, by
 * anyone; only the lower of the two is taken.
 */
import { bytesToHex } from '@noble/hashes/utils.js';

const SCALAR_BYTES = 32;

/** Takes r and s of 32 bytes each, big-endian: both must be inside the group of this order, and s in its lower half. */
export function isLowS(rs: Uint8Array, order: bigint): boolean {
  if (rs.length !== 2 * SCALAR_BYTES) return false;
  const r = toNumber(rs.subarray(0, SCALAR_BYTES));
  const s = toNumber(rs.subarray(SCALAR_BYTES));
  return r >= 1n && r < order && s >= 1n && s <= order / 2n;
}

/** Big-endian. */
export function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}
