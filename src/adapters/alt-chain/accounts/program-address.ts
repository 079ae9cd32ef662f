/**
 * At which address does a program keep the account of given seeds? (chain-svm 2.)
 * The address is a hash that is no point of the curve, so that nobody has a key for it.
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

/** The address that a program finds: that of the highest bump whose hash is off the curve. */
export function deriveProgramAddress(program: AltKey, seeds: readonly Uint8Array[]): ProgramAddress {
  if (seeds.length > MAX_SEEDS || seeds.some((seed) => seed.length > MAX_SEED_BYTES)) {
    throw new RangeError('no program has an account of such seeds');
  }
  const programBytes = altKeyBytes(program);
  for (let bump = MAX_BUMP; bump >= 0; bump--) {
    const hash = hashSeeds(programBytes, seeds, bump);
    if (!isOnCurve(hash)) return { address: formatAltKey(hash), bump };
  }
  throw new RangeError('no program has an account of such seeds'); // once in 2^256 seeds
}

/** Tells whether an address is the hash of the seeds with a bump that is known; one hash, no look at the curve. */
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
 * Tells what the chain's validators tell: whether 32 bytes decompress to a point. They take a y of p and above and a sign
 * for x = 0, which is ZIP 215, not RFC 8032.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
