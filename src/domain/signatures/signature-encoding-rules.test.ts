import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { listSmallOrderPoints, mixedPoint, encodeLittleEndian } from '../../../testing/fixtures/crafted-ed25519.ts';
import { toLittleEndian } from './little-endian.ts';
import {
  EDWARDS_ORDER,
  EDWARDS_PRIME,
  isValidEd25519Encoding,
  isValidEdwardsEncoding,
  SECP256K1_ORDER,
  SMALL_ORDER_YS,
  splitRecoverable,
} from './signature-encoding-rules.ts';

const SIGN = 2n ** 255n;

describe('curve constants', () => {
  it('match those of the curve library', () => {
    expect(SECP256K1_ORDER).toBe(secp256k1.Point.Fn.ORDER);
    expect(EDWARDS_ORDER).toBe(ed25519.Point.Fn.ORDER);
    expect(EDWARDS_PRIME).toBe(ed25519.Point.Fp.ORDER);
  });

  it('list the y of exactly the points of small order', () => {
    const points = listSmallOrderPoints();
    const ys = points.map((hex) => toLittleEndian(hexToBytes(hex)) % SIGN);
    expect(new Set(points).size).toBe(8);
    expect(new Set(ys)).toStrictEqual(SMALL_ORDER_YS);
  });
});

describe('splitRecoverable', () => {
  const encode = (r: bigint, s: bigint, v: number) => concatBytes(bigEndian(r), bigEndian(s), Uint8Array.of(v));
  const last = SECP256K1_ORDER - 1n;

  it.each([
    ['the least scalars', encode(1n, 1n, 27), 0],
    ['the greatest scalars', encode(last, last, 28), 1],
    ['the greatest low s', encode(1n, last / 2n, 27), 0],
    ['the least high s', encode(1n, last / 2n + 1n, 27), 0],
  ])('splits %s', (_name, bytes, parity) => {
    expect(splitRecoverable(bytes)).toStrictEqual({ rs: bytes.subarray(0, 64), parity });
  });

  it.each([
    ['r = 0', encode(0n, 1n, 27)],
    ['r = n', encode(SECP256K1_ORDER, 1n, 27)],
    ['r = 2^256 - 1', encode(2n ** 256n - 1n, 1n, 27)],
    ['s = 0', encode(1n, 0n, 27)],
    ['s = n', encode(1n, SECP256K1_ORDER, 28)],
    ['s = 2^256 - 1', encode(1n, 2n ** 256n - 1n, 28)],
  ])('rejects %s', (_name, bytes) => {
    expect(splitRecoverable(bytes)).toBeUndefined();
  });

  it.each([0, 1, 2, 3, 26, 29, 30, 31, 35, 36, 37, 38, 128, 155, 255])('rejects recovery byte %i', (v) => {
    expect(splitRecoverable(encode(1n, 1n, v))).toBeUndefined();
  });
});

describe('isValidEdwardsEncoding', () => {
  it.each([
    ['the base point', ed25519.Point.BASE.toBytes()],
    ['the base point with the other sign', ed25519.Point.BASE.negate().toBytes()],
    ['a point with a torsion component', mixedPoint(1n, 1n)],
    ['y = 2, whether or not there is such a point', encodeLittleEndian(2n)],
    ['y = p - 2', encodeLittleEndian(EDWARDS_PRIME - 2n)],
    ['y = p - 2 with a sign', encodeLittleEndian(EDWARDS_PRIME - 2n + SIGN)],
  ])('accepts %s', (_name, bytes) => {
    expect(isValidEdwardsEncoding(bytes)).toBe(true);
  });

  it.each(listSmallOrderPoints())('rejects the point of small order %s', (hex) => {
    expect(isValidEdwardsEncoding(hexToBytes(hex))).toBe(false);
  });

  it.each<[name: string, number: bigint]>([
    ['x = 0 with a sign, y = 1', 1n + SIGN],
    ['x = 0 with a sign, y = -1', EDWARDS_PRIME - 1n + SIGN],
    ...Array.from({ length: 19 }, (_, y) => [`y = p + ${y}`, EDWARDS_PRIME + BigInt(y)] as [string, bigint]),
    ...Array.from(
      { length: 19 },
      (_, y) => [`y = p + ${y}, with a sign`, EDWARDS_PRIME + BigInt(y) + SIGN] as [string, bigint],
    ),
  ])('rejects the non-canonical encoding %s', (_name, number) => {
    expect(isValidEdwardsEncoding(encodeLittleEndian(number))).toBe(false);
  });
});

describe('isValidEd25519Encoding', () => {
  const encode = (point: Uint8Array, s: bigint) => concatBytes(point, encodeLittleEndian(s));
  const point = ed25519.Point.BASE.toBytes();

  it.each([0n, 1n, EDWARDS_ORDER - 1n])('accepts S = %d', (s) => {
    expect(isValidEd25519Encoding(encode(point, s))).toBe(true);
  });

  it.each([EDWARDS_ORDER, EDWARDS_ORDER + 1n, 2n ** 252n + 2n ** 251n, 2n ** 253n, 2n ** 255n, 2n ** 256n - 1n])(
    'rejects S = %d',
    (s) => {
      expect(isValidEd25519Encoding(encode(point, s))).toBe(false);
    },
  );

  it('rejects an R of small order and a non-canonical R', () => {
    expect(isValidEd25519Encoding(encode(mixedPoint(0n, 1n), 1n))).toBe(false);
    expect(isValidEd25519Encoding(encode(encodeLittleEndian(EDWARDS_PRIME + 2n), 1n))).toBe(false);
  });
});

function bigEndian(number: bigint): Uint8Array {
  const bytes = encodeLittleEndian(number).toReversed();
  expect(BigInt(`0x${bytesToHex(bytes)}`)).toBe(number);
  return bytes;
}
