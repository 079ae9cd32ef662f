/**
 * Who signed a message? ("Who may sign" of the interface, http-facts 9.3 to 9.5.) One policy over any curve arithmetic: what is
 * malformed is refused before the arithmetic sees it, and everything else is accepted or refused alike on every platform.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { altKeyBytes, type AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address } from '../identifiers/identifiers.ts';
import type { CurveOperations } from './curve-operations.ts';
import { hashPersonalMessage } from './personal-message.ts';
import { isEd25519Form, isEdwardsForm, toRecoverableForm } from './signature-encoding-rules.ts';
import {
  ed25519SignatureBytes,
  recoverableSignatureBytes,
  type Ed25519Signature,
  type RecoverableSignature,
} from './signature-parsing.ts';

export interface SignatureChecks {
  /**
   * The account whose key signed `message` as an EIP-191 personal message; undefined when no key can be recovered.
   * Every other signature has some signer: of a changed message, another one.
   */
  recoverSigner(message: Uint8Array, signature: RecoverableSignature): Address | undefined;
  /** Tells whether `signer` signed exactly `message`: strict Ed25519, without points of small order and without a cofactor. */
  isSignedBy(signer: AltKey, message: Uint8Array, signature: Ed25519Signature): boolean;
}

const ADDRESS_BYTES = 20;

export function createSignatureChecks(curves: CurveOperations): SignatureChecks {
  return {
    recoverSigner(message, signature) {
      const form = toRecoverableForm(recoverableSignatureBytes(signature));
      if (form === undefined) return undefined;
      const key = curves.recoverSecp256k1(hashPersonalMessage(message), form.rs, form.parity);
      return key === undefined ? undefined : toAddress(key);
    },

    isSignedBy(signer, message, signature) {
      const key = altKeyBytes(signer);
      const bytes = ed25519SignatureBytes(signature);
      return isEdwardsForm(key) && isEd25519Form(bytes) && curves.satisfiesEd25519(key, message, bytes);
    },
  };
}

/** The account of an uncompressed key. */
function toAddress(key: Uint8Array): Address {
  return `0x${bytesToHex(keccak_256(key.subarray(1)).subarray(-ADDRESS_BYTES))}` as Address;
}
