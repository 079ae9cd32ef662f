import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, hexToBytes, numberToBytesBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import { attempts, pki } from '../../../testing/fixtures/evidence-vectors.ts';
import { isLowS } from './low-s.ts';
import { isOnP256, isSignedByP256, P256_POINT_BYTES } from './p256.ts';

const ORDER = p256.Point.CURVE().n;
const word = (value: bigint) => numberToBytesBE(value, 32);
const highTwin = (rs: Uint8Array) =>
  concatBytes(rs.subarray(0, 32), word(ORDER - BigInt(`0x${Buffer.from(rs.subarray(32)).toString('hex')}`)));

describe('low s', () => {
  const half = ORDER / 2n;

  it.each<[name: string, r: bigint, s: bigint, expected: boolean]>([
    ['the least of both', 1n, 1n, true],
    ['the greatest of both', ORDER - 1n, half, true],
    ['r of 0', 0n, 1n, false],
    ['r of the order', ORDER, 1n, false],
    ['s of 0', 1n, 0n, false],
    ['s above the half', 1n, half + 1n, false],
    ['s of the order less 1', 1n, ORDER - 1n, false],
    ['s of the order', 1n, ORDER, false],
    ['all ones', 2n ** 256n - 1n, 2n ** 256n - 1n, false],
  ])('accepts or rejects %s', (_name, r, s, expected) => {
    expect(isLowS(concatBytes(word(r), word(s)), ORDER)).toBe(expected);
  });

  it.each([0, 63, 65, 128])('rejects %i bytes', (length) => {
    expect(isLowS(new Uint8Array(length).fill(1), ORDER)).toBe(false);
  });
});

describe('the signature of a chip', () => {
  const { evidence, prehashPreimageHex, publicKeyHex } = attempts.otherSParity;
  const info = Uint8Array.from(createPublicKey(pki.leaf.pem).export({ format: 'der', type: 'spki' }));
  const preimage = hexToBytes(prehashPreimageHex);
  const signature = hexToBytes(evidence.proof.chipSignature.slice(2));

  it('verifies for the preimage', () => {
    expect(isSignedByP256(info, preimage, signature)).toBe(true);
    expect(isOnP256(hexToBytes(publicKeyHex))).toBe(true);
  });

  it('is rejected with high s, although it verifies', () => {
    const twin = highTwin(signature);
    const isValid = p256.verify(twin, preimage, hexToBytes(publicKeyHex), { lowS: false });
    expect(isValid).toBe(true);
    expect(isSignedByP256(info, preimage, twin)).toBe(false);
  });

  it.each([
    ['the prehash, hashed again', sha256(preimage)],
    ['nothing', new Uint8Array()],
    ['one bit more', concatBytes(preimage, Uint8Array.of(0))],
  ])('is rejected for %s', (_name, other) => {
    expect(isSignedByP256(info, other, signature)).toBe(false);
  });
});

describe(`against another implementation (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  const keys = Array.from({ length: 3 }, () => generateKeyPairSync('ec', { namedCurve: 'P-256' }));

  it('judges every signature alike', () => {
    const cases = fc.record({
      signer: fc.constantFrom(...keys),
      claimed: fc.constantFrom(...keys),
      message: fc.uint8Array({ maxLength: 200 }),
      flip: fc.option(fc.nat({ max: 511 }), { freq: 2 }),
    });
    fc.assert(
      fc.property(cases, ({ signer, claimed, message, flip }) => {
        const made = sign('sha256', message, { key: signer.privateKey, dsaEncoding: 'ieee-p1363' });
        const rs = Uint8Array.from(made);
        if (flip !== null) rs[flip >> 3]! ^= 1 << (flip & 7);
        const claimedInfo = Uint8Array.from(claimed.publicKey.export({ format: 'der', type: 'spki' }));
        const point = claimedInfo.subarray(-P256_POINT_BYTES);
        expect(isSignedByP256(claimedInfo, message, rs)).toBe(verifiesElsewhere(rs, message, point));
      }),
      PROPERTY_RUNS,
    );
  });

  it('judges every point alike', () => {
    const coordinate = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constant(0n), fc.constant(p256.Point.CURVE().p)); // prettier-ignore
    const real = fc.constantFrom(...keys).map(({ publicKey }) => Uint8Array.from(publicKey.export({ format: 'der', type: 'spki' }).subarray(-P256_POINT_BYTES))); // prettier-ignore
    const made = fc.tuple(coordinate, coordinate).map(([x, y]) => concatBytes(Uint8Array.of(4), word(x), word(y)));
    const flipped = fc.tuple(real, fc.integer({ min: 8, max: 519 })).map(([point, bit]) => {
      const copy = Uint8Array.from(point);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      return copy;
    });
    fc.assert(
      fc.property(fc.oneof(real, made, flipped), (point) => {
        expect(isOnP256(point)).toBe(isPointElsewhere(point));
      }),
      PROPERTY_RUNS,
    );
  });
});

function verifiesElsewhere(rs: Uint8Array, message: Uint8Array, point: Uint8Array): boolean {
  try {
    return p256.verify(rs, message, point, { lowS: true });
  } catch {
    return false;
  }
}

function isPointElsewhere(point: Uint8Array): boolean {
  try {
    p256.Point.fromBytes(point).assertValidity();
    return true;
  } catch {
    return false;
  }
}
