/**
 * How does whoever holds a key sign a message of either chain? For clients and commands: the service holds no key. (http-facts 9.3.)
 */
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
  /** As a wallet does: deterministic, low s, recovery byte 27 or 28. */
  sign(message: Uint8Array): RecoverableSignature;
  /** 32 bytes that are no message: the hash of a transaction. */
  signHash(hash: Uint8Array): RecoverableSignature;
}

export interface AltChainKey {
  readonly key: AltKey;
  sign(message: Uint8Array): Ed25519Signature;
}

/** Whether 32 bytes are a key of the main chain: not 0, and below the order of the curve. */
export function isMainChainSecret(secret: Uint8Array): boolean {
  return secret.length === SECRET_BYTES && secp256k1.utils.isValidSecretKey(secret);
}

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

export function createAltChainKey(seed: Uint8Array): AltChainKey {
  return {
    key: formatAltKey(ed25519.getPublicKey(seed)),
    sign: (message) => formatEd25519(ed25519.sign(message, seed)),
  };
}

export function formatRecoverable(rs: Uint8Array, recovery: number): RecoverableSignature {
  return `0x${bytesToHex(rs)}${recovery.toString(16).padStart(2, '0')}` as RecoverableSignature;
}

export function formatEd25519(bytes: Uint8Array): Ed25519Signature {
  return formatBase58(bytes) as Ed25519Signature;
}
