import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatBase58, parseBase58, parseBase58Exactly } from './base58.ts';

describe('a known pair', () => {
  it.each<[text: string, bytes: Uint8Array]>([
    ['', new Uint8Array()],
    ['1', new Uint8Array(1)],
    ['11111111111111111111111111111111', new Uint8Array(32)],
    ['z', Uint8Array.of(57)],
    ['21', Uint8Array.of(58)],
    ['11233QC4', hexToBytes('0000287fb4cd')],
    ['2NEpo7TZRRrLZSi2U', utf8ToBytes('Hello World!')],
    [
      'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
      utf8ToBytes('The quick brown fox jumps over the lazy dog.'),
    ],
    ['JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG', new Uint8Array(32).fill(255)],
  ])('is converted both ways: %j', (text, bytes) => {
    expect(parseBase58(text, 64)).toStrictEqual(bytes);
    expect(formatBase58(bytes)).toBe(text);
  });
});

describe('every byte string', () => {
  it('has one encoding, which is decoded back', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.uint8Array({ maxLength: 200 }), (zeros, tail) => {
        const bytes = Uint8Array.of(...new Uint8Array(zeros), ...tail);
        expect(parseBase58Exactly(formatBase58(bytes), bytes.length)).toStrictEqual(bytes);
      }),
    );
  });

  it('is decoded from its text; other texts are rejected', () => {
    const digits = fc.constantFrom(...Array.from('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'));
    fc.assert(
      fc.property(fc.string({ unit: digits, maxLength: 100 }), (text) => {
        expect(formatBase58(parseBase58(text, 100)!)).toBe(text);
      }),
    );
  });
});

describe('the decoder', () => {
  it.each(['0', 'O', 'I', 'l', ' 1', '1 ', '1\n', '+', 'é', '١', '𝟏'])('rejects %j', (text) => {
    expect(parseBase58(text, 32)).toBeUndefined();
  });

  it('rejects more bytes than allowed, zeros or not', () => {
    expect(parseBase58('1'.repeat(33), 32)).toBeUndefined();
    expect(parseBase58(formatBase58(new Uint8Array(33).fill(1)), 32)).toBeUndefined();
    expect(parseBase58(`1${formatBase58(new Uint8Array(32).fill(255))}`, 32)).toBeUndefined();
  });

  it('rejects fewer or more bytes than an exact length', () => {
    expect(parseBase58Exactly('1'.repeat(31), 32)).toBeUndefined();
    expect(parseBase58Exactly('1'.repeat(33), 32)).toBeUndefined();
  });

  it('rejects a longer text before decoding it', () => {
    const started = process.cpuUsage();
    for (let k = 0; k < 1_000; k++) expect(parseBase58('z'.repeat(10_000_000), 32)).toBeUndefined();
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});

it.each(['z1zzzzzzz', '211111111', 'z11zzzzzz1zzzzzzzz', '11z1zzzzzzz'])('formats %s as parsed', (text) => {
  expect(formatBase58(parseBase58(text, 32)!)).toBe(text);
});
