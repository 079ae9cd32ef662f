import { keccak256, numberToHex, stringToHex, toHex, toRlp, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { computeReceiptsRoot } from './receipts-root.ts';

/** A trie with one digit per edge and no extension nodes. */
interface Trie {
  value: Hex | undefined;
  readonly below: Map<string, Trie>;
}

type RlpNode = Hex | readonly RlpNode[];

/** Computes the root independently: the trie is built digit by digit and packed on encoding. */
function rootOf(entries: readonly (readonly [key: Hex, value: Hex])[]): Hex {
  const root: Trie = { value: undefined, below: new Map() };
  for (const [key, value] of entries) {
    let at = root;
    for (const digit of key.slice(2)) {
      const next = at.below.get(digit) ?? { value: undefined, below: new Map() };
      at.below.set(digit, next);
      at = next;
    }
    at.value = value;
  }
  return keccak256(toRlp(pack(root) as Hex));
}

function pack(trie: Trie): RlpNode {
  let path = '';
  let at = trie;
  while (at.value === undefined && at.below.size === 1) {
    const [[digit, next]] = at.below as unknown as [[string, Trie]];
    path += digit;
    at = next;
  }
  if (at.below.size === 0) return [packPath(path, 2), at.value!];
  const branch = Array.from('0123456789abcdef', (digit) => {
    const next = at.below.get(digit);
    return next === undefined ? '0x' : refer(pack(next));
  });
  const node = [...branch, at.value ?? '0x'];
  return path === '' ? node : [packPath(path, 0), refer(node)];
}

function packPath(path: string, kind: 0 | 2): Hex {
  return path.length % 2 === 1 ? `0x${kind + 1}${path}` : `0x${kind}0${path}`;
}

function refer(node: RlpNode): RlpNode {
  const text = toRlp(node as Hex);
  return text.length < 2 + 2 * 32 ? node : keccak256(text);
}

function expectedRoot(receipts: readonly Uint8Array[]): Hex {
  return rootOf(receipts.map((receipt, i) => [toRlp(i === 0 ? '0x' : numberToHex(i)), toHex(receipt)]));
}

test('the reference implementation matches the published example', () => {
  const words = { do: 'verb', horse: 'stallion', doge: 'coin', dog: 'puppy' };
  const entries = Object.entries(words).map(([key, value]) => [stringToHex(key), stringToHex(value)] as const);
  expect(rootOf(entries)).toBe('0x5991bb8c6514148a29db676a14ac506cd2cd5775ace63c30a4fe457715e9ac84');
});

/** Creates distinct receipts of a length common on mainnet. */
function makeReceipts(count: number, length = 300): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => Uint8Array.from({ length }, (__, at) => (i * 31 + at * 7) % 256));
}

describe('computeReceiptsRoot', () => {
  test('returns the root of the empty trie for no receipts', () => {
    expect(computeReceiptsRoot([])).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
  });

  test.each([1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300])('detects any change among %i receipts', (count) => {
    const receipts = makeReceipts(count);
    const root = computeReceiptsRoot(receipts);
    const positions = [...new Set([0, count >> 1, count - 1])];
    const changed = positions.map((i) => receipts.with(i, receipts[i]!.with(i, receipts[i]![i]! ^ 1)));
    const others = [...changed, receipts.slice(1), receipts.slice(0, -1), [...receipts, receipts[0]!]];
    const moved = count > 1 ? [receipts.toReversed()] : [];
    expect([...others, ...moved].filter((other) => computeReceiptsRoot(other) === root)).toEqual([]);
    expect(computeReceiptsRoot(makeReceipts(count))).toBe(root);
  });

  test.each([1, 2, 3, 16, 17, 127, 128, 129, 130, 144, 255, 256, 257, 272, 300])(
    'matches the reference implementation for %i receipts',
    (count) => {
      const receipts = makeReceipts(count);
      expect(computeReceiptsRoot(receipts)).toBe(expectedRoot(receipts));
    },
  );

  test('matches the reference implementation at every length class of RLP', () => {
    const lengths = [...Array.from({ length: 70 }, (_, i) => i + 1), 255, 256, 257, 65_535, 65_536];
    const receipts = lengths.map((length) => makeReceipts(3, length));
    expect(receipts.map(computeReceiptsRoot)).toEqual(receipts.map(expectedRoot));
  });

  test('matches the reference implementation for receipts of one byte', () => {
    const receipts = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
    expect(receipts.map((one) => computeReceiptsRoot([one]))).toEqual(receipts.map((one) => expectedRoot([one])));
    expect(computeReceiptsRoot(receipts)).toBe(expectedRoot(receipts));
  });
});
