/**
 * What can a block's bloom tell? (Yellow Paper 4.4.3: 2048 bits; every logged address and topic sets three of them.)
 * A bloom never denies what was logged; it may claim what was not. So a clear bit is a proof, a set one a question.
 */
import { hexToBytes } from '@noble/hashes/utils.js';
import { keccak256 } from './keccak.ts';

const BLOOM_BITS = 2048;
const NIBBLES = BLOOM_BITS / 4;

/** Where one address or topic stands in a bloom text: the index of a hex digit, and the bit within it. */
export type BloomProbe = readonly { readonly at: number; readonly mask: number }[];

/** The probe of an address or topic in `0x` hex. */
export function createBloomProbe(item: string): BloomProbe {
  return findBits(item).map((bit) => ({ at: 2 + NIBBLES - 1 - (bit >> 2), mask: 1 << (bit & 3) }));
}

/** Holders and topics come again and again. Twice as many are remembered at most; the older half falls at once. */
const MAX_REMEMBERED_ITEMS = 5_000;
let remembered = new Map<string, readonly number[]>();
let rememberedBefore = new Map<string, readonly number[]>();

/** The three bits that an item sets. */
function findBits(item: string): readonly number[] {
  const known = remembered.get(item);
  if (known !== undefined) return known;
  const bits = rememberedBefore.get(item) ?? hashBits(item);
  if (remembered.size >= MAX_REMEMBERED_ITEMS) {
    rememberedBefore = remembered;
    remembered = new Map();
  }
  remembered.set(item, bits);
  return bits;
}

function hashBits(item: string): readonly number[] {
  const hash = keccak256(hexToBytes(item.slice(2)));
  return [0, 2, 4].map((i) => ((hash[i]! << 8) | hash[i + 1]!) % BLOOM_BITS);
}

/** False is certain; true may be chance. */
export function bloomMayHold(bloom: string, probe: BloomProbe): boolean {
  return probe.every(({ at, mask }) => (nibbleAt(bloom, at) & mask) !== 0);
}

/** The bloom of the given addresses and topics: `0x` and 512 lower-case hex digits. */
export function buildBloom(items: Iterable<string>): string {
  const nibbles = new Uint8Array(NIBBLES);
  for (const item of items) {
    for (const bit of findBits(item)) nibbles[NIBBLES - 1 - (bit >> 2)]! |= 1 << (bit & 3);
  }
  return `0x${Array.from(nibbles, (nibble) => nibble.toString(16)).join('')}`;
}

/** Tells whether every bit of `bloom` is set in `cover`, so that nothing was logged but what `cover` was built from. */
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
