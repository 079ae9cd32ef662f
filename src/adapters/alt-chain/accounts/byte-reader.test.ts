/** Tests the Borsh byte reader. */
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ByteReader, decodable, Undecodable } from './byte-reader.ts';

const read = <T>(hex: string, take: (reader: ByteReader) => T): T => take(new ByteReader(hexToBytes(hex)));

describe('a value', () => {
  it.each<[name: string, hex: string, take: (reader: ByteReader) => unknown, expected: unknown]>([
    ['u8', 'ff', (reader) => reader.u8(), 255],
    ['u16', '0100', (reader) => reader.u16(), 1],
    ['u32', 'ffffffff', (reader) => reader.u32(), 4_294_967_295],
    ['u64', 'ffffffffffffffff', (reader) => reader.u64(), 2n ** 64n - 1n],
    ['i64', 'ffffffffffffffff', (reader) => reader.i64(), -1n],
    ['word, big-endian', `${'00'.repeat(31)}01`, (reader) => reader.word(), 1n],
    ['the largest word', 'ff'.repeat(32), (reader) => reader.word(), 2n ** 256n - 1n],
    ['bool', '01', (reader) => reader.bool(), true],
    ['an absent key', '00'.repeat(32), (reader) => reader.optionalKey(), undefined],
    ['the zero key where a key is required', '00'.repeat(32), (reader) => reader.key(), '1'.repeat(32)],
    ['an absent address', '00'.repeat(20), (reader) => reader.optionalAddress(), undefined],
    ['an address', '0A'.repeat(20), (reader) => reader.optionalAddress(), `0x${'0a'.repeat(20)}`],
    ['an empty blob', '00000000', (reader) => reader.blob(), '0x'],
    ['an empty text', '00000000', (reader) => reader.text(), ''],
    ['a byte order mark', '03000000efbbbf', (reader) => reader.text(), '\ufeff'],
    ['a NUL character', '0100000000', (reader) => reader.text(), '\0'],
    ['an empty option', '00', (reader) => reader.option(() => reader.u8()), undefined],
    ['an option', '0107', (reader) => reader.option(() => reader.u8()), 7],
    ['a list', '020000000708', (reader) => reader.list(1, () => reader.u8()), [7, 8]],
  ])('is decoded: %s', (_name, hex, take, expected) => {
    const reader = new ByteReader(hexToBytes(hex));
    expect(take(reader)).toStrictEqual(expected);
    reader.finish();
  });

  it('is read within the bounds of a view on a larger buffer', () => {
    const view = hexToBytes('ffff01000000ff').subarray(2, 6);
    expect(new ByteReader(view).u32()).toBe(1);
    expect(() => new ByteReader(view).u64()).toThrow(Undecodable);
  });

  it.each<[name: string, hex: string, take: (reader: ByteReader) => unknown]>([
    ['a bool of 2', '02', (reader) => reader.bool()],
    ['an option of 2', '0207', (reader) => reader.option(() => reader.u8())],
    ['an invalid UTF-8 byte', '01000000ff', (reader) => reader.text()],
    ['a surrogate', '03000000eda080', (reader) => reader.text()],
    ['an overlong zero', '02000000c080', (reader) => reader.text()],
    ['a length beyond the end', 'ffffffff00', (reader) => reader.blob()],
    ['trailing bytes', '00', (reader) => reader.finish()],
  ])('is undecodable: %s', (_name, hex, take) => {
    expect(() => read(hex, take)).toThrow(Undecodable);
  });
});

it('reads no item of a list whose items exceed the remaining bytes', () => {
  const readItem = vi.fn(() => 0);
  expect(() => read('ffffffff00000000', (reader) => reader.list(1, readItem))).toThrow(Undecodable);
  expect(() => read('0300000000000000', (reader) => reader.list(2, readItem))).toThrow(Undecodable);
  expect(readItem).not.toHaveBeenCalled();
});

it('round-trips any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = utf8ToBytes(text);
      const length = new Uint8Array(new Uint32Array([bytes.length]).buffer);
      expect(new ByteReader(Uint8Array.of(...length, ...bytes)).text()).toBe(text);
    }),
  );
});

describe('decodable', () => {
  it('returns undefined for Undecodable and rethrows any other error', () => {
    expect(decodable(() => read('', (reader) => reader.u8()))).toBeUndefined();
    expect(() =>
      decodable(() => {
        throw new TypeError('a defect');
      }),
    ).toThrow('a defect');
  });
});
