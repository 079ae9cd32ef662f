import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { bloomMayHold, buildBloom, createBloomProbe, isBloomCovered } from './bloom.ts';

const EMPTY = `0x${'0'.repeat(512)}`;

/** Computes an item's bits as one number of 2048 bits, as in the Yellow Paper. */
function bitsOf(item: string): bigint {
  const hash = keccak_256(Buffer.from(item.slice(2), 'hex'));
  const bits = [0, 2, 4].map((i) => BigInt(((hash[i]! << 8) + hash[i + 1]!) & 2047));
  return bits.reduce((bloom, bit) => bloom | (1n << bit), 0n);
}

function item(seed: number): string {
  return `0x${bytesToHex(keccak_256(Buffer.from([seed, seed >> 8])))}`;
}

describe('blooms', () => {
  it('match the definition of the Yellow Paper', () => {
    const items = Array.from({ length: 40 }, (_, i) => item(i));
    const expected = items.map(bitsOf).reduce((bloom, bits) => bloom | bits, 0n);
    expect(buildBloom(items)).toBe(`0x${expected.toString(16).padStart(512, '0')}`);
  });

  it('have no bit set without items', () => {
    expect(buildBloom([])).toBe(EMPTY);
  });

  it('set three bits for the topic of an ERC-20 transfer', () => {
    const bloom = buildBloom(['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef']);
    const set = Array.from(BigInt(bloom).toString(2)).filter((bit) => bit === '1').length;
    expect(set).toBe(3);
    expect(BigInt(bloom)).toBe(bitsOf('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'));
  });

  it('match every item they were built from and few others', () => {
    const bloom = buildBloom(Array.from({ length: 30 }, (_, i) => item(i)));
    const known = Array.from({ length: 30 }, (_, i) => createBloomProbe(item(i)));
    const others = Array.from({ length: 1_000 }, (_, i) => createBloomProbe(item(1_000 + i)));
    expect(known.every((probe) => bloomMayHold(bloom, probe))).toBe(true);
    expect(others.filter((probe) => bloomMayHold(bloom, probe)).length).toBeLessThan(5);
  });

  it('are read from upper-case hex too', () => {
    const bloom = `0x${buildBloom([item(1)])
      .slice(2)
      .toUpperCase()}`;
    expect(bloomMayHold(bloom, createBloomProbe(item(1)))).toBe(true);
    expect(isBloomCovered(bloom, buildBloom([item(1)]))).toBe(true);
  });

  it('are covered exactly by blooms of at least the same items', () => {
    const few = buildBloom([item(1), item(2)]);
    const more = buildBloom([item(1), item(2), item(3)]);
    expect([isBloomCovered(few, more), isBloomCovered(more, few)]).toEqual([true, false]);
    expect([isBloomCovered(EMPTY, few), isBloomCovered(few, EMPTY)]).toEqual([true, false]);
    expect(isBloomCovered(few, few)).toBe(true);
  });

  it('are compared bit by bit in every digit', () => {
    for (let at = 2; at < EMPTY.length; at++) {
      const set = (digit: string) => `${EMPTY.slice(0, at)}${digit}${EMPTY.slice(at + 1)}`;
      const pairs = [
        [set('1'), EMPTY],
        [set('1'), set('2')],
        [set('1'), set('f')],
        [set('9'), set('b')],
        [set('a'), set('8')],
        [set('8'), set('9')],
      ] as const;
      expect(pairs.map(([bloom, cover]) => isBloomCovered(bloom, cover))).toEqual([
        false,
        false,
        true,
        true,
        false,
        true,
      ]);
    }
  });

  it('give an item the same probe after it left the cache', () => {
    const probeOf = (seed: number) => createBloomProbe(`0x${seed.toString(16).padStart(40, '0')}`);
    const before = [0, 4_999, 5_000, 5_001].map(probeOf);
    for (let seed = 0; seed < 12_000; seed++) probeOf(seed);
    expect([0, 4_999, 5_000, 5_001].map(probeOf)).toEqual(before);
    expect(new Set(before.map((probe) => JSON.stringify(probe))).size).toBe(4);
  });
});
