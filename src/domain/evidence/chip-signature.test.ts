import { p256 } from '@noble/curves/nist.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { findChipSignature, isSignedByChip, parseChipSignature, toLowS } from './chip-signature.ts';
import { signAsChip } from './software-chip.ts';

const { n: ORDER } = p256.Point.CURVE();
const HALF = ORDER / 2n;

const spell = (scalar: bigint) => hexToBytes(scalar.toString(16).padStart(64, '0'));
const rs = (r: bigint, s: bigint) => concatBytes(spell(r), spell(s));
const tlv = (tag: number, content: Uint8Array) => concatBytes(Uint8Array.of(tag, content.length), content);

/** The shortest INTEGER. */
function integer(scalar: bigint): Uint8Array {
  const digits = scalar.toString(16);
  const content = hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
  return tlv(2, content[0]! >= 0x80 ? concatBytes(Uint8Array.of(0), content) : content);
}

const answer = (r: bigint, s: bigint) => concatBytes(integer(r), integer(s));

describe('two numbers', () => {
  it.each<[name: string, r: bigint, s: bigint, low: bigint]>([
    ['the smallest', 1n, 1n, 1n],
    ['the largest', ORDER - 1n, ORDER - 1n, 1n],
    ['with a sign octet', 128n, 255n, 255n],
    ['with s at the middle', 5n, HALF, HALF],
    ['with s above the middle', 5n, HALF + 1n, HALF],
  ])('parse with low s: %s', (_name, r, s, low) => {
    expect(parseChipSignature(answer(r, s))).toEqual(rs(r, low));
    expect(toLowS(r, s)).toEqual(rs(r, low));
  });

  it('parse from 6 to 70 bytes', () => {
    expect([answer(1n, 1n).length, answer(ORDER - 1n, ORDER - 1n).length]).toEqual([6, 70]);
  });

  it.each<[name: string, r: bigint, s: bigint]>([
    ['r is 0', 0n, 1n],
    ['s is 0', 1n, 0n],
    ['r is the order', ORDER, 1n],
    ['s is the order', 1n, ORDER],
    ['s is above the order', 1n, ORDER + 1n],
  ])('are rejected where %s', (_name, r, s) => {
    expect(parseChipSignature(answer(r, s))).toBeUndefined();
    expect(toLowS(r, s)).toBeUndefined();
  });

  it.each<[name: string, hex: string]>([
    ['nothing', ''],
    ['one alone', '02020080'],
    ['another type first', '030101020101'],
    ['another type second', '020101030101'],
    ['no octets first', '02000202017f'],
    ['no octets second', '0202017f0200'],
    ['-128', '020180020101'],
    ['0 in two octets', '02020000020101'],
    ['a zero octet too many', '0202007f020101'],
    ['34 octets', `0222${'01'.repeat(34)}020101`],
    ['something behind', '02010102010100'],
    ['less than was said', '0201010202'],
  ])('are rejected as %s', (_name, hex) => {
    expect(parseChipSignature(hexToBytes(hex))).toBeUndefined();
  });
});

describe('a signature', () => {
  const secret = spell(7n);
  const key = p256.getPublicKey(secret, false);
  const prehash = (seed: number) => new Uint8Array(32).fill(seed);
  const low = signAsChip(secret, prehash(1));
  const parts = (signature: Uint8Array) =>
    [signature.subarray(0, 32), signature.subarray(32)].map((each) =>
      BigInt(`0x${Buffer.from(each).toString('hex')}`),
    ) as [bigint, bigint];
  const [r, s] = parts(low);
  const plainAnswer = answer(r, s);

  it('of a software chip has low s and signs the prehash without another hash', () => {
    expect(s <= HALF).toBe(true);
    expect(isSignedByChip(key, prehash(1), low)).toBe(true);
    expect(isSignedByChip(key, prehash(2), low)).toBe(false);
    expect(isSignedByChip(key, prehash(1), rs(r, ORDER - s))).toBe(false);
  });

  it('of a software chip always has low s', () => {
    const seeds = Array.from({ length: 16 }, (_, seed) => seed);
    const scalars = seeds.map((seed) => parts(signAsChip(secret, prehash(seed)))[1]);
    expect(scalars.filter((each) => each > HALF)).toEqual([]);
  });

  it.each<[name: string, bytes: Uint8Array]>([
    ['two numbers', plainAnswer],
    ['two numbers with high s', answer(r, ORDER - s)],
    ['a sequence of them', tlv(0x30, plainAnswer)],
    ['r and s', low],
    ['r and high s', rs(r, ORDER - s)],
  ])('is found in %s', (_name, bytes) => {
    expect(findChipSignature(bytes, key, prehash(1))).toEqual(low);
    expect(findChipSignature(bytes, key, prehash(2))).toBeUndefined();
  });

  it.each<[name: string, bytes: Uint8Array]>([
    ['a set of them', tlv(0x31, plainAnswer)],
    ['a sequence of another length', concatBytes(Uint8Array.of(0x30, plainAnswer.length + 1), plainAnswer)],
    ['a sequence with something behind it', concatBytes(tlv(0x30, plainAnswer), Uint8Array.of(0))],
    ['r and s with an octet between', concatBytes(spell(r), Uint8Array.of(0), spell(s))],
    ['nothing', new Uint8Array()],
  ])('is not found in %s', (_name, bytes) => {
    expect(findChipSignature(bytes, key, prehash(1))).toBeUndefined();
  });
});
