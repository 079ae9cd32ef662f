/**
 * Encoding rules of signatures and keys. They are checked on bytes alone, before any curve operation, so that every implementation of
 * `CurveOperations` rejects the same inputs.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { toLittleEndian } from './little-endian.ts';

/** Order of the group of secp256k1. */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Prime of the field of edwards25519. */
export const EDWARDS_PRIME = 2n ** 255n - 19n;
/** Order L of the prime-order group of edwards25519. */
export const EDWARDS_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

const Y_OF_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/**
 * The y coordinates of the eight points of small order: one each of orders 1 and 2, two of order 4, four of order 8. Both points with
 * x = 0 are among them, so no other encoding can carry a sign for x = 0.
 */
export const SMALL_ORDER_YS: ReadonlySet<bigint> = new Set([
  1n,
  EDWARDS_PRIME - 1n,
  0n,
  Y_OF_ORDER_8,
  EDWARDS_PRIME - Y_OF_ORDER_8,
]);

const SCALAR_BYTES = 32;
const WITHOUT_SIGN = 2n ** 255n - 1n;

/** The parts of a recoverable signature. */
export interface RecoverableParts {
  readonly rs: Uint8Array;
  readonly parity: 0 | 1;
}

/** Splits 65 bytes; undefined unless the recovery byte is 27 or 28 and both scalars are in 1 to n - 1. High s is allowed. */
export function splitRecoverable(bytes: Uint8Array): RecoverableParts | undefined {
  const rs = bytes.subarray(0, 2 * SCALAR_BYTES);
  const recovery = bytes[2 * SCALAR_BYTES];
  if (recovery !== 27 && recovery !== 28) return undefined;
  if (!isSecp256k1Scalar(rs.subarray(0, SCALAR_BYTES)) || !isSecp256k1Scalar(rs.subarray(SCALAR_BYTES)))
    return undefined;
  return { rs, parity: recovery === 27 ? 0 : 1 };
}

/** Returns whether 64 bytes are a valid encoding of R followed by an S below L. */
export function isValidEd25519Encoding(signature: Uint8Array): boolean {
  return (
    isValidEdwardsEncoding(signature.subarray(0, SCALAR_BYTES)) &&
    toLittleEndian(signature.subarray(SCALAR_BYTES)) < EDWARDS_ORDER
  );
}

/** Returns whether 32 bytes are a canonical encoding and not a point of small order. Whether they encode a point at all is not checked. */
export function isValidEdwardsEncoding(point: Uint8Array): boolean {
  const y = toLittleEndian(point) & WITHOUT_SIGN;
  return y < EDWARDS_PRIME && !SMALL_ORDER_YS.has(y);
}

function isSecp256k1Scalar(bytes: Uint8Array): boolean {
  const scalar = BigInt(`0x${bytesToHex(bytes)}`);
  return scalar >= 1n && scalar < SECP256K1_ORDER;
}
