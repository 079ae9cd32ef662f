/**
 * Verification of message signatures ("Who may sign" of the interface, http-facts 9.3 to 9.5). The encoding rules are applied before any curve
 * operation, so that every implementation accepts and rejects the same signatures.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { altKeyBytes, type AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address } from '../identifiers/identifiers.ts';
import type { CurveOperations } from './curve-operations.ts';
import { hashPersonalMessage } from './personal-message.ts';
import { isValidEd25519Encoding, isValidEdwardsEncoding, splitRecoverable } from './signature-encoding-rules.ts';
import {
  ed25519SignatureBytes,
  recoverableSignatureBytes,
  type Ed25519Signature,
  type RecoverableSignature,
} from './signature-parsing.ts';

export interface SignatureChecks {
  /**
   * Recovers the account that signed `message` as an EIP-191 personal message; undefined when no key can be recovered.
   * Any other signature yields some account: for a changed message, a different one.
   */
  recoverSigner(message: Uint8Array, signature: RecoverableSignature): Address | undefined;
  /** Returns whether `signer` signed exactly `message`: strict Ed25519, without points of small order or a cofactor. */
  isSignedBy(signer: AltKey, message: Uint8Array, signature: Ed25519Signature): boolean;
}

const ADDRESS_BYTES = 20;

/** Creates the checks over one implementation of the curve operations. */
export function createSignatureChecks(curves: CurveOperations): SignatureChecks {
  return {
    recoverSigner(message, signature) {
      const parts = splitRecoverable(recoverableSignatureBytes(signature));
      if (parts === undefined) return undefined;
      const key = curves.recoverSecp256k1(hashPersonalMessage(message), parts.rs, parts.parity);
      return key === undefined ? undefined : toAddress(key);
    },

    isSignedBy(signer, message, signature) {
      const key = altKeyBytes(signer);
      const bytes = ed25519SignatureBytes(signature);
      return (
        isValidEdwardsEncoding(key) && isValidEd25519Encoding(bytes) && curves.satisfiesEd25519(key, message, bytes)
      );
    },
  };
}

/** Derives the account of an uncompressed key. */
function toAddress(key: Uint8Array): Address {
  return `0x${bytesToHex(keccak_256(key.subarray(1)).subarray(-ADDRESS_BYTES))}` as Address;
}
