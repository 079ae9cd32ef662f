/** RLP encoding of numbers, strings and lists. */
import { describe, expect, test } from 'vitest';
import { RlpBuffer } from './rlp-buffer.ts';

function write(fill: (to: RlpBuffer) => unknown): string {
  const buffer = new RlpBuffer();
  fill(buffer);
  return buffer.copyBytes().toString('hex');
}

const writeText = (hex: string) => write((to) => to.writeHex(Buffer.from(`0x${hex}`), 2, hex.length / 2));

describe('RlpBuffer', () => {
  test.each([
    [0, '80'],
    [1, '01'],
    [127, '7f'],
    [128, '8180'],
    [255, '81ff'],
    [256, '820100'],
    [1024, '820400'],
    [2 ** 53 - 1, '871fffffffffffff'],
  ])('encodes the integer %i', (value, expected) => {
    expect(write((to) => to.writeInteger(value))).toBe(expected);
  });

  test.each([
    ['', '80'],
    ['00', '00'],
    ['7F', '7f'],
    ['80', '8180'],
    ['646f67', '83646f67'],
    ['ab'.repeat(55), `b7${'ab'.repeat(55)}`],
    ['ab'.repeat(56), `b838${'ab'.repeat(56)}`],
    ['ab'.repeat(256), `b90100${'ab'.repeat(256)}`],
    ['cd'.repeat(100_000), `ba0186a0${'cd'.repeat(100_000)}`],
  ])('encodes the hex string "%s"', (hex, expected) => {
    expect(writeText(hex)).toBe(expected);
  });

  test.each([
    [0, 'c0'],
    [55, 'f7'],
    [56, 'f838'],
    [65_536, 'fa010000'],
  ])('encodes the prefix of a list of %i bytes', (length, expected) => {
    expect(write((to) => to.writeListPrefix(length))).toBe(expected);
  });

  test('appends the content of another buffer and is empty after clear()', () => {
    const other = new RlpBuffer();
    other.writeInteger(1024);
    const both = (to: RlpBuffer) => {
      to.writeByte(9);
      to.clear();
      to.writeByte(2);
      to.append(other);
    };
    expect(write(both)).toBe('02820400');
    expect(other.length).toBe(3);
  });

  test.each(['g0', '0g', '/0', ':0', '`0', '@0', 'é0', '"a', 'x1'])('rejects %s as a byte', (text) => {
    const digits = (pair: string) => Buffer.from(`00${pair}00`, 'latin1');
    const isAccepted = (pair: string) => [
      new RlpBuffer().writeHex(digits(pair), 0, 3),
      new RlpBuffer().writeHex(digits(pair), 2, 1),
    ];
    expect(isAccepted('aF')).toEqual([true, true]);
    expect(isAccepted(text)).toEqual([false, false]);
  });
});
