import { describe, expect, test } from 'vitest';
import { computeReceiptsRoot } from './receipts-root.ts';

/** Receipts of mainnet-like length, which differ. */
function list(count: number, length = 300): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => Uint8Array.from({ length }, (__, at) => (i * 31 + at * 7) % 256));
}

describe('the root of receipts', () => {
  test('of a block without any is that of an empty trie', () => {
    expect(computeReceiptsRoot([])).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
  });

  test.each([1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300])('tells any change in any of %i', (count) => {
    const receipts = list(count);
    const root = computeReceiptsRoot(receipts);
    const places = [...new Set([0, count >> 1, count - 1])];
    const changed = places.map((i) => receipts.with(i, receipts[i]!.with(i, receipts[i]![i]! ^ 1)));
    const others = [...changed, receipts.slice(1), receipts.slice(0, -1), [...receipts, receipts[0]!]];
    const moved = count > 1 ? [receipts.toReversed()] : [];
    expect([...others, ...moved].filter((other) => computeReceiptsRoot(other) === root)).toEqual([]);
    expect(computeReceiptsRoot(list(count))).toBe(root);
  });

  test('holds short values in their parents', () => {
    const roots = [1, 2, 20, 40].map((length) => computeReceiptsRoot(list(3, length)));
    expect(new Set(roots).size).toBe(4);
  });
});
