/** Who signs in tests? Test support: keys of both chains that really sign, and every implementation that checks what they sign. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import { formatAltKey, type AltKey } from '../alt-identifiers.ts';
import { formatBase58 } from '../base58.ts';
import type { Address } from '../identifiers.ts';
import { createNativeCurves, type NativeSecp256k1 } from './native-curves.ts';
import { hashPersonalMessage } from './personal-message.ts';
import { PORTABLE_CURVES } from './portable-curves.ts';
import { createSignatureChecks } from './signature-checks.ts';
import type { Ed25519Signature, RecoverableSignature } from './signature-texts.ts';

export interface MainChainKey {
  readonly address: Address;
  /** As a wallet does: deterministic, low s, recovery byte 27 or 28. */
  sign(message: Uint8Array): RecoverableSignature;
}

export interface AltChainKey {
  readonly key: AltKey;
  sign(message: Uint8Array): Ed25519Signature;
}

export function createMainChainKey(secret: Uint8Array): MainChainKey {
  const point = secp256k1.getPublicKey(secret, false);
  return {
    address: `0x${bytesToHex(keccak_256(point.subarray(1)).subarray(12))}` as Address,
    sign(message) {
      const bytes = secp256k1.sign(hashPersonalMessage(message), secret, { prehash: false, format: 'recovered' });
      return spellRecoverable(bytes.subarray(1), bytes[0]! + 27);
    },
  };
}

export function createAltChainKey(seed: Uint8Array): AltChainKey {
  return {
    key: formatAltKey(ed25519.getPublicKey(seed)),
    sign: (message) => spellEd25519(ed25519.sign(message, seed)),
  };
}

export function spellRecoverable(rs: Uint8Array, recovery: number): RecoverableSignature {
  return `0x${bytesToHex(rs)}${recovery.toString(16).padStart(2, '0')}` as RecoverableSignature;
}

export function spellEd25519(bytes: Uint8Array): Ed25519Signature {
  return formatBase58(bytes) as Ed25519Signature;
}

/** Stands where the native package will: the same function, which throws where no key can be recovered. */
export const NATIVE_STAND_IN: NativeSecp256k1 = {
  ecdsaRecover(signature, recoveryId, digest, compressed) {
    const bytes = concatBytes(Uint8Array.of(recoveryId), signature);
    return secp256k1.Signature.fromBytes(bytes, 'recovered').recoverPublicKey(digest).toBytes(compressed);
  },
};

export const PORTABLE_CHECKS = createSignatureChecks(PORTABLE_CURVES);
export const NATIVE_CHECKS = createSignatureChecks(createNativeCurves(undefined));

/** Every way in which a service or a client checks signatures. */
export const IMPLEMENTATIONS = [
  ['portable', PORTABLE_CHECKS],
  ['native', NATIVE_CHECKS],
  ['native with a package for secp256k1', createSignatureChecks(createNativeCurves(NATIVE_STAND_IN))],
] as const;
