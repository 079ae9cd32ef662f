/** Recovery of secp256k1 keys in plain JavaScript, apart from Ed25519: a page that needs one of them loads only that one. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { CurveOperations } from './curve-operations.ts';

export const recoverSecp256k1: CurveOperations['recoverSecp256k1'] = (digest, rs, parity) => {
  const signature = secp256k1.Signature.fromBytes(concatBytes(Uint8Array.of(parity), rs), 'recovered');
  try {
    return signature.recoverPublicKey(digest).toBytes(false);
  } catch {
    return undefined;
  }
};
