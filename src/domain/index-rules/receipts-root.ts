/**
 * Receipts root of a block (Yellow Paper 4.4.1; EIP-2718): the root of the Merkle Patricia trie that maps each receipt's index to its bytes.
 * No log can be hidden, added, moved or altered without changing it.
 */
import { keccak256 } from './keccak.ts';

/** Root of a block without receipts. */
export const EMPTY_RECEIPTS_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/** Computes the root as `0x` hex. */
export function computeReceiptsRoot(receipts: readonly Uint8Array[]): string {
  const entries = receipts.map((value, index) => ({ path: toNibbles(encodeIndex(index)), value }));
  entries.sort((a, b) => Buffer.compare(a.path, b.path));
  const root = entries.length === 0 ? EMPTY : encodeNode(entries, 0);
  return `0x${Buffer.from(keccak256(...root)).toString('hex')}`;
}

interface Entry {
  /** One hex digit per byte; no path is a prefix of another. */
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

/** Byte strings whose concatenation is left to the hash function, because receipts are long. */
type Parts = readonly Uint8Array[];

const EMPTY: Parts = [Buffer.from([0x80])];
const HASH_BYTES = 32;

/** Encodes one entry as a leaf and several as a branch, under an extension when their paths share digits. */
function encodeNode(entries: readonly Entry[], depth: number): Parts {
  const [first] = entries as [Entry];
  if (entries.length === 1) {
    return encodeList([encodeText(packPath(first.path.subarray(depth), true)), encodeText(first.value)]);
  }
  const last = entries.at(-1)!;
  let fork = depth;
  while (first.path[fork] === last.path[fork]) fork += 1;
  if (fork > depth) {
    return encodeList([
      encodeText(packPath(first.path.subarray(depth, fork), false)),
      refer(encodeNode(entries, fork)),
    ]);
  }
  const children = Map.groupBy(entries, ({ path }) => path[depth]!);
  const branch = Array.from({ length: 16 }, (_, digit) => {
    const below = children.get(digit);
    return below === undefined ? EMPTY : refer(encodeNode(below, depth + 1));
  });
  return encodeList([...branch, EMPTY]);
}

/** Embeds a node shorter than a hash in its parent, and references a longer one by its hash. */
function refer(node: Parts): Parts {
  return countBytes(node) < HASH_BYTES ? node : encodeText(keccak256(...node));
}

function countBytes(parts: Parts): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function encodeIndex(index: number): Buffer {
  return Buffer.concat(encodeText(index === 0 ? Buffer.alloc(0) : toBytes(index)));
}

function toNibbles(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: 2 * bytes.length }, (_, i) =>
    i % 2 === 0 ? bytes[i >> 1]! >> 4 : bytes[i >> 1]! & 15,
  );
}

/** Packs two digits per byte, after a flag digit for leaf and odd length (hex-prefix encoding). */
function packPath(nibbles: Uint8Array, isLeaf: boolean): Buffer {
  const isOdd = nibbles.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const digits = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles];
  return Buffer.from(Array.from({ length: digits.length / 2 }, (_, i) => (digits[2 * i]! << 4) | digits[2 * i + 1]!));
}

function encodeText(bytes: Uint8Array): Parts {
  if (bytes.length === 1 && bytes[0]! < 0x80) return [bytes];
  return [encodeLength(bytes.length, 0x80), bytes];
}

function encodeList(items: readonly Parts[]): Parts {
  const parts = items.flat();
  return [encodeLength(countBytes(parts), 0xc0), ...parts];
}

function encodeLength(length: number, kind: number): Buffer {
  if (length < 56) return Buffer.from([kind + length]);
  const bytes = toBytes(length);
  return Buffer.concat([Buffer.from([kind + 55 + bytes.length]), bytes]);
}

function toBytes(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}
