import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { listSmallOrderPoints, mixedPoint, spellLittleEndian } from '../../../testing/fixtures/crafted-ed25519.ts';
import { toLittleEndian } from './little-endian.ts';
import {
  EDWARDS_ORDER,
  EDWARDS_PRIME,
  isEd25519Form,
  isEdwardsForm,
  SECP256K1_ORDER,
  SMALL_ORDER_YS,
  toRecoverableForm,
} from './signature-encoding-rules.ts';

const SIGN = 2n ** 255n;

describe('the numbers', () => {
  it('are those of the curves', () => {
    expect(SECP256K1_ORDER).toBe(secp256k1.Point.Fn.ORDER);
    expect(EDWARDS_ORDER).toBe(ed25519.Point.Fn.ORDER);
    expect(EDWARDS_PRIME).toBe(ed25519.Point.Fp.ORDER);
  });

  it('are the y of all points of small order and of no other', () => {
    const points = listSmallOrderPoints();
    const ys = points.map((hex) => toLittleEndian(hexToBytes(hex)) % SIGN);
    expect(new Set(points).size).toBe(8);
    expect(new Set(ys)).toStrictEqual(SMALL_ORDER_YS);
  });
});

describe('a recoverable signature', () => {
  const spell = (r: bigint, s: bigint, v: number) => concatBytes(bigEndian(r), bigEndian(s), Uint8Array.of(v));
  const last = SECP256K1_ORDER - 1n;

  it.each([
    ['the least scalars', spell(1n, 1n, 27), 0],
    ['the greatest scalars', spell(last, last, 28), 1],
    ['the greatest low s', spell(1n, last / 2n, 27), 0],
    ['the least high s', spell(1n, last / 2n + 1n, 27), 0],
  ])('%s', (_name, bytes, parity) => {
    expect(toRecoverableForm(bytes)).toStrictEqual({ rs: bytes.subarray(0, 64), parity });
  });

  it.each([
    ['r = 0', spell(0n, 1n, 27)],
    ['r = n', spell(SECP256K1_ORDER, 1n, 27)],
    ['r = 2^256 - 1', spell(2n ** 256n - 1n, 1n, 27)],
    ['s = 0', spell(1n, 0n, 27)],
    ['s = n', spell(1n, SECP256K1_ORDER, 28)],
    ['s = 2^256 - 1', spell(1n, 2n ** 256n - 1n, 28)],
  ])('refused: %s', (_name, bytes) => {
    expect(toRecoverableForm(bytes)).toBeUndefined();
  });

  it.each([0, 1, 2, 3, 26, 29, 30, 31, 35, 36, 37, 38, 128, 155, 255])('refused: recovery byte %i', (v) => {
    expect(toRecoverableForm(spell(1n, 1n, v))).toBeUndefined();
  });
});

describe('a point of edwards25519', () => {
  it.each([
    ['the base point', ed25519.Point.BASE.toBytes()],
    ['the base point with the other sign', ed25519.Point.BASE.negate().toBytes()],
    ['a point with a part of small order', mixedPoint(1n, 1n)],
    ['y = 2, whether or not there is such a point', spellLittleEndian(2n)],
    ['y = p - 2', spellLittleEndian(EDWARDS_PRIME - 2n)],
    ['y = p - 2 with a sign', spellLittleEndian(EDWARDS_PRIME - 2n + SIGN)],
  ])('%s', (_name, bytes) => {
    expect(isEdwardsForm(bytes)).toBe(true);
  });

  it.each(listSmallOrderPoints())('refused: of small order, %s', (hex) => {
    expect(isEdwardsForm(hexToBytes(hex))).toBe(false);
  });

  it.each<[name: string, number: bigint]>([
    ['x = 0 with a sign, y = 1', 1n + SIGN],
    ['x = 0 with a sign, y = -1', EDWARDS_PRIME - 1n + SIGN],
    ...Array.from({ length: 19 }, (_, y) => [`y = p + ${y}`, EDWARDS_PRIME + BigInt(y)] as [string, bigint]),
    ...Array.from(
      { length: 19 },
      (_, y) => [`y = p + ${y}, with a sign`, EDWARDS_PRIME + BigInt(y) + SIGN] as [string, bigint],
    ),
  ])('refused: not canonical, %s', (_name, number) => {
    expect(isEdwardsForm(spellLittleEndian(number))).toBe(false);
  });
});

describe('an Ed25519 signature', () => {
  const spell = (point: Uint8Array, s: bigint) => concatBytes(point, spellLittleEndian(s));
  const point = ed25519.Point.BASE.toBytes();

  it.each([0n, 1n, EDWARDS_ORDER - 1n])('S = %d', (s) => {
    expect(isEd25519Form(spell(point, s))).toBe(true);
  });

  it.each([EDWARDS_ORDER, EDWARDS_ORDER + 1n, 2n ** 252n + 2n ** 251n, 2n ** 253n, 2n ** 255n, 2n ** 256n - 1n])(
    'refused: S = %d',
    (s) => {
      expect(isEd25519Form(spell(point, s))).toBe(false);
    },
  );

  it('refused: an R of small order, an R that is not canonical', () => {
    expect(isEd25519Form(spell(mixedPoint(0n, 1n), 1n))).toBe(false);
    expect(isEd25519Form(spell(spellLittleEndian(EDWARDS_PRIME + 2n), 1n))).toBe(false);
  });
});

function bigEndian(number: bigint): Uint8Array {
  const bytes = spellLittleEndian(number).toReversed();
  expect(BigInt(`0x${bytesToHex(bytes)}`)).toBe(number);
  return bytes;
}
