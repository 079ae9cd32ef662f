/** Signing keys of both chains, for clients and commands (http-facts 9.3). The service itself holds no key. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { formatAltKey, type AltKey } from '../identifiers/alt-identifiers.ts';
import { formatBase58 } from '../identifiers/base58.ts';
import type { Address } from '../identifiers/identifiers.ts';
import { hashPersonalMessage } from './personal-message.ts';
import type { Ed25519Signature, RecoverableSignature } from './signature-parsing.ts';

const SECRET_BYTES = 32;

export interface MainChainKey {
  readonly address: Address;
  /** Signs as a wallet does (`personal_sign`): deterministic, low s, recovery byte 27 or 28. */
  sign(message: Uint8Array): RecoverableSignature;
  /** Signs 32 bytes as they are, such as the hash of a transaction. */
  signHash(hash: Uint8Array): RecoverableSignature;
}

export interface AltChainKey {
  readonly key: AltKey;
  sign(message: Uint8Array): Ed25519Signature;
}

/** Returns whether the bytes are a main-chain secret key: 32 bytes, not 0, and below the order of the curve. */
export function isMainChainSecret(secret: Uint8Array): boolean {
  return secret.length === SECRET_BYTES && secp256k1.utils.isValidSecretKey(secret);
}

/** Creates a key from a valid 32-byte secret. */
export function createMainChainKey(secret: Uint8Array): MainChainKey {
  const point = secp256k1.getPublicKey(secret, false);
  return {
    address: `0x${bytesToHex(keccak_256(point.subarray(1)).subarray(12))}` as Address,
    sign: (message) => signHash(hashPersonalMessage(message)),
    signHash,
  };

  function signHash(hash: Uint8Array): RecoverableSignature {
    const bytes = secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' });
    return formatRecoverable(bytes.subarray(1), bytes[0]! + 27);
  }
}

/** Creates a key from a 32-byte seed. */
export function createAltChainKey(seed: Uint8Array): AltChainKey {
  return {
    key: formatAltKey(ed25519.getPublicKey(seed)),
    sign: (message) => formatEd25519(ed25519.sign(message, seed)),
  };
}

/** Formats r and s (64 bytes) and the recovery byte as hex. */
export function formatRecoverable(rs: Uint8Array, recovery: number): RecoverableSignature {
  return `0x${bytesToHex(rs)}${recovery.toString(16).padStart(2, '0')}` as RecoverableSignature;
}

/** Formats the 64 bytes of an Ed25519 signature in base58. */
export function formatEd25519(bytes: Uint8Array): Ed25519Signature {
  return formatBase58(bytes) as Ed25519Signature;
}
