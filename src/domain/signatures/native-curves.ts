/**
 * Native curve operations: Ed25519 by the OpenSSL of Node, secp256k1 by libsecp256k1 where it is installed. No file that a browser loads
 * may import this one.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { CurveOperations } from './curve-operations.ts';
import { PORTABLE_CURVES } from './portable-curves.ts';

/** The part of the package `secp256k1` that is used; it throws when no key can be recovered. */
export interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean): Uint8Array;
}

/** DER prefix of a SubjectPublicKeyInfo, followed by the 32 bytes of an Ed25519 key (RFC 8410). */
const KEY_INFO_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Undefined when the package has no binary for this platform. */
export const NATIVE_SECP256K1: NativeSecp256k1 | undefined = await import('secp256k1/bindings.js').then(
  ({ default: bindings }) => bindings,
  () => undefined,
);

/** Creates the native operations. Without native secp256k1, keys are recovered by the portable implementation. */
export function createNativeCurves(secp256k1: NativeSecp256k1 | undefined): CurveOperations {
  return {
    recoverSecp256k1: secp256k1 === undefined ? PORTABLE_CURVES.recoverSecp256k1 : recoverWith(secp256k1),

    satisfiesEd25519(key, message, signature) {
      const info = Buffer.concat([KEY_INFO_PREFIX, key]);
      return verify(null, message, createPublicKey({ key: info, format: 'der', type: 'spki' }), signature);
    },
  };
}

/** Curve operations of the service. */
export const NATIVE_CURVES = createNativeCurves(NATIVE_SECP256K1);

function recoverWith(secp256k1: NativeSecp256k1): CurveOperations['recoverSecp256k1'] {
  return (digest, rs, parity) => {
    try {
      return secp256k1.ecdsaRecover(rs, parity, digest, false);
    } catch {
      return undefined;
    }
  };
}
