/** Low-s check for ECDSA signatures: anyone can turn s into n - s, so only the lower of the two is accepted (evidence 6.2 and 6.3). */
import { bytesToHex } from '@noble/hashes/utils.js';

const SCALAR_BYTES = 32;

/** Returns whether r and s (32 bytes each, big-endian) are in 1 to `order` - 1 with s in the lower half. */
export function isLowS(rs: Uint8Array, order: bigint): boolean {
  if (rs.length !== 2 * SCALAR_BYTES) return false;
  const r = toNumber(rs.subarray(0, SCALAR_BYTES));
  const s = toNumber(rs.subarray(SCALAR_BYTES));
  return r >= 1n && r < order && s >= 1n && s <= order / 2n;
}

/** Decodes big-endian bytes. */
export function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}
