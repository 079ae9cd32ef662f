/**
 * Program-derived addresses (chain-svm 2).
 * The address is a hash that is not a curve point, so that no private key for it exists.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { altKeyBytes, formatAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';

export interface ProgramAddress {
  readonly address: AltKey;
  readonly bump: number;
}

const MAX_SEED_BYTES = 32;
const MAX_SEEDS = 15;
const MAX_BUMP = 255;
const MARKER = utf8ToBytes('ProgramDerivedAddress');

/** Derives the canonical address: the one of the highest bump whose hash is off the curve. Throws `RangeError` for invalid seeds. */
export function deriveProgramAddress(program: AltKey, seeds: readonly Uint8Array[]): ProgramAddress {
  if (seeds.length > MAX_SEEDS || seeds.some((seed) => seed.length > MAX_SEED_BYTES)) {
    throw new RangeError('invalid seeds of a program address');
  }
  const programBytes = altKeyBytes(program);
  for (let bump = MAX_BUMP; bump >= 0; bump--) {
    const hash = hashSeeds(programBytes, seeds, bump);
    if (!isOnCurve(hash)) return { address: formatAltKey(hash), bump };
  }
  throw new RangeError('no bump is off the curve'); // once in 2^256 seeds
}

/** Returns whether an address is the hash of the seeds with a known bump. Takes one hash and no curve check. */
export function isProgramAddress(
  address: AltKey,
  program: AltKey,
  seeds: readonly Uint8Array[],
  bump: number,
): boolean {
  return formatAltKey(hashSeeds(altKeyBytes(program), seeds, bump)) === address;
}

function hashSeeds(program: Uint8Array, seeds: readonly Uint8Array[], bump: number): Uint8Array {
  return sha256(concatBytes(...seeds, Uint8Array.of(bump), program, MARKER));
}

/**
 * Returns whether 32 bytes decompress to a curve point, as the chain's validators decide: they accept y >= p and a sign bit for
 * x = 0, which is ZIP 215, not RFC 8032.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
