/**
 * Bloom filters of block logs (Yellow Paper 4.4.3): 2048 bits; every logged address and topic sets three of them. There are no false
 * negatives, so a clear bit proves absence; a set bit may be a false positive.
 */
import { hexToBytes } from '@noble/hashes/utils.js';
import { keccak256 } from './keccak.ts';

const BLOOM_BITS = 2048;
const NIBBLES = BLOOM_BITS / 4;

/** Bloom of a block without logs, and of every block on chains without real blooms: it proves nothing. */
export const ZERO_BLOOM = `0x${'0'.repeat(NIBBLES)}`;

/** Bit positions of one address or topic in a bloom's text: the index of a hex digit and the bit within it. */
export type BloomProbe = readonly { readonly at: number; readonly mask: number }[];

/** Creates the probe of an address or topic, given in `0x` hex. */
export function createBloomProbe(item: string): BloomProbe {
  return findBits(item).map((bit) => ({ at: 2 + NIBBLES - 1 - (bit >> 2), mask: 1 << (bit & 3) }));
}

/** Size of one cache generation. Two generations are retained; when the newer one is full, the older one is dropped. */
const MAX_CACHED_ITEMS = 5_000;
let cachedBits = new Map<string, readonly number[]>();
let previousBits = new Map<string, readonly number[]>();

/** Returns the three bits that an item sets. */
function findBits(item: string): readonly number[] {
  const cached = cachedBits.get(item);
  if (cached !== undefined) return cached;
  const bits = previousBits.get(item) ?? hashBits(item);
  if (cachedBits.size >= MAX_CACHED_ITEMS) {
    previousBits = cachedBits;
    cachedBits = new Map();
  }
  cachedBits.set(item, bits);
  return bits;
}

function hashBits(item: string): readonly number[] {
  const hash = keccak256(hexToBytes(item.slice(2)));
  return [0, 2, 4].map((i) => ((hash[i]! << 8) | hash[i + 1]!) % BLOOM_BITS);
}

/** Returns false when the item is certainly absent; true may be a false positive. */
export function bloomMayHold(bloom: string, probe: BloomProbe): boolean {
  return probe.every(({ at, mask }) => (nibbleAt(bloom, at) & mask) !== 0);
}

/** Builds the bloom of the given addresses and topics: `0x` and 512 lower-case hex digits. */
export function buildBloom(items: Iterable<string>): string {
  const nibbles = new Uint8Array(NIBBLES);
  for (const item of items) {
    for (const bit of findBits(item)) nibbles[NIBBLES - 1 - (bit >> 2)]! |= 1 << (bit & 3);
  }
  return `0x${Array.from(nibbles, (nibble) => nibble.toString(16)).join('')}`;
}

/** Returns the bloom that has the bits of both. */
export function mergeBlooms(one: string, other: string): string {
  const digits = Array.from({ length: NIBBLES }, (_, i) => nibbleAt(one, i + 2) | nibbleAt(other, i + 2));
  return `0x${digits.map((digit) => digit.toString(16)).join('')}`;
}

/** Returns whether every bit of `bloom` is set in `cover`. */
export function isBloomCovered(bloom: string, cover: string): boolean {
  if (bloom === cover) return true;
  for (let at = 2; at < NIBBLES + 2; at++) {
    const nibble = nibbleAt(bloom, at);
    if (nibble !== 0 && (nibble & ~nibbleAt(cover, at)) !== 0) return false;
  }
  return true;
}

function nibbleAt(bloom: string, at: number): number {
  const code = bloom.charCodeAt(at);
  // '0'..'9' are 48..57, 'A'..'F' 65..70, 'a'..'f' 97..102.
  return code <= 57 ? code - 48 : (code | 32) - 87;
}
