/** Curve operations in plain JavaScript, for browsers and platforms without the native package. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { CurveOperations } from './curve-operations.ts';
import { recoverSecp256k1 } from './portable-recovery.ts';
import { toLittleEndian } from './little-endian.ts';

const Edwards = ed25519.Point;
const POINT_BYTES = 32;

export const PORTABLE_CURVES: CurveOperations = {
  recoverSecp256k1,

  // Not `ed25519.verify`: it multiplies by the cofactor and accepts signatures that the native implementation rejects.
  satisfiesEd25519(key, message, signature) {
    const commitment = signature.subarray(0, POINT_BYTES);
    const keyPoint = orUndefined(() => Edwards.fromBytes(key));
    const commitmentPoint = orUndefined(() => Edwards.fromBytes(commitment));
    if (keyPoint === undefined || commitmentPoint === undefined) return false;
    const challenge = toLittleEndian(sha512(concatBytes(commitment, key, message))) % Edwards.Fn.ORDER;
    const response = toLittleEndian(signature.subarray(POINT_BYTES));
    return Edwards.BASE.multiplyUnsafe(response).equals(commitmentPoint.add(keyPoint.multiplyUnsafe(challenge)));
  },
};

/** Returns undefined where the library throws because there is no such point. */
function orUndefined<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}
