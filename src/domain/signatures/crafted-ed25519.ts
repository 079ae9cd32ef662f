/**
 * Which Ed25519 signatures can only an adversary make? Test support: keys and commitments that carry a part of small order, where
 * implementations are known to disagree.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { formatAltKey } from '../alt-identifiers.ts';
import { toLittleEndian } from './little-endian.ts';
import type { SignatureChecks } from './signature-checks.ts';
import { EDWARDS_ORDER } from './signature-forms.ts';
import { spellEd25519 } from './signing-keys.ts';

const Point = ed25519.Point;

/** Generates the eight points of small order. */
export const TORSION = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');

/** Scalars below L; multiples of `TORSION` from 0 to 7. */
export interface Craft {
  readonly secret: bigint;
  readonly keyTorsion: bigint;
  readonly nonce: bigint;
  readonly commitmentTorsion: bigint;
  readonly message: Uint8Array;
}

export interface Crafted {
  readonly key: Uint8Array;
  readonly signature: Uint8Array;
  /** Whether [S]B = R + [k]A; multiplied by the cofactor 8, the two sides are always equal. */
  readonly isExact: boolean;
}

/** Signs as RFC 8032 does, but for the parts of small order that are added to A and R. */
export function craftSignature({ secret, keyTorsion, nonce, commitmentTorsion, message }: Craft): Crafted {
  const key = mixedPoint(secret, keyTorsion);
  const commitment = mixedPoint(nonce, commitmentTorsion);
  const challenge = toLittleEndian(sha512(concatBytes(commitment, key, message))) % EDWARDS_ORDER;
  const response = (nonce + challenge * secret) % EDWARDS_ORDER;
  return {
    key,
    signature: concatBytes(commitment, spellLittleEndian(response)),
    isExact: (commitmentTorsion + challenge * keyTorsion) % 8n === 0n,
  };
}

/** Asks about bytes, however wrong they are. */
export function accepts(checks: SignatureChecks, key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return checks.isSignedBy(formatAltKey(key), message, spellEd25519(signature));
}

/** 32 bytes, least significant first. */
export function spellLittleEndian(number: bigint): Uint8Array {
  return hexToBytes(number.toString(16).padStart(64, '0')).toReversed();
}

/** The bytes of [scalar]B + [multiple]TORSION. */
export function mixedPoint(scalar: bigint, multiple: bigint): Uint8Array {
  return Point.BASE.multiplyUnsafe(scalar).add(TORSION.multiplyUnsafe(multiple)).toBytes();
}

/** The eight points of small order, by their bytes in hex. */
export function listSmallOrderPoints(): string[] {
  return Array.from({ length: 8 }, (_, multiple) => bytesToHex(mixedPoint(0n, BigInt(multiple))));
}
