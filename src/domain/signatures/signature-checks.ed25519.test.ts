/** Ed25519 verification: the vectors of RFC 8032 and the cases on which implementations disagree. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import {
  accepts,
  craftSignature,
  mixedPoint,
  encodeLittleEndian,
  type Craft,
} from '../../../testing/fixtures/crafted-ed25519.ts';
import { toLittleEndian } from './little-endian.ts';
import { createSignatureChecks } from './signature-checks.ts';
import { EDWARDS_ORDER, EDWARDS_PRIME } from './signature-encoding-rules.ts';
import { createAltChainKey, IMPLEMENTATIONS, formatEd25519 } from '../../../testing/fixtures/signing-keys.ts';

const MESSAGE = utf8ToBytes('a message');
const OWNER = createAltChainKey(new Uint8Array(32).fill(7));
const STRANGER = createAltChainKey(new Uint8Array(32).fill(8));

const BASE = ed25519.Point.BASE.toBytes();
const NEUTRAL = encodeLittleEndian(1n);
const NO_POINT = encodeLittleEndian(2n);

const PLAIN: Craft = { secret: 9n, keyTorsion: 0n, nonce: 11n, commitmentTorsion: 0n, message: MESSAGE };
const EIGHT = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n];

/** RFC 8032, 7.1, tests 1 to 3: seed, message, signature. */
const RFC_8032 = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

describe.each(IMPLEMENTATIONS)('%s Ed25519 checks', (_name, checks) => {
  it.each(RFC_8032)('accept the RFC 8032 vector with seed %s', (seed, message, signature) => {
    const signer = createAltChainKey(hexToBytes(seed));
    expect(checks.isSignedBy(signer.key, hexToBytes(message), formatEd25519(hexToBytes(signature)))).toBe(true);
  });

  it('reject another message, another key and another signature', () => {
    const signature = OWNER.sign(MESSAGE);
    expect(checks.isSignedBy(OWNER.key, MESSAGE, signature)).toBe(true);
    expect(checks.isSignedBy(OWNER.key, utf8ToBytes('a massage'), signature)).toBe(false);
    expect(checks.isSignedBy(STRANGER.key, MESSAGE, signature)).toBe(false);
    expect(checks.isSignedBy(OWNER.key, MESSAGE, STRANGER.sign(MESSAGE))).toBe(false);
  });

  it('reject S + L, which the equation alone accepts', () => {
    const { key, signature } = craftSignature(PLAIN);
    const s = toLittleEndian(signature.subarray(32));
    const twin = concatBytes(signature.subarray(0, 32), encodeLittleEndian(s + EDWARDS_ORDER));
    expect(accepts(checks, key, MESSAGE, signature)).toBe(true);
    expect(accepts(checks, key, MESSAGE, twin)).toBe(false);
  });

  it('reject a key of small order, for which anyone can sign', () => {
    const forged = concatBytes(BASE, encodeLittleEndian(1n)); // [1]B = B + [k]O, whatever k is
    expect(accepts(checks, NEUTRAL, MESSAGE, forged)).toBe(false);
    for (const keyTorsion of EIGHT) {
      for (const commitmentTorsion of EIGHT) {
        const crafted = craftSignature({ ...PLAIN, secret: 0n, keyTorsion, commitmentTorsion });
        expect(accepts(checks, crafted.key, MESSAGE, crafted.signature)).toBe(false);
      }
    }
  });

  it('reject an R of small order', () => {
    const crafted = EIGHT.map((commitmentTorsion) => craftSignature({ ...PLAIN, nonce: 0n, commitmentTorsion }));
    expect(crafted.some(({ isExact }) => isExact)).toBe(true);
    for (const { key, signature } of crafted) expect(accepts(checks, key, MESSAGE, signature)).toBe(false);
  });

  it('reject non-canonical keys', () => {
    for (const y of [EDWARDS_PRIME, EDWARDS_PRIME + 3n, 2n ** 255n - 1n, 2n ** 256n - 1n]) {
      expect(accepts(checks, encodeLittleEndian(y), MESSAGE, craftSignature(PLAIN).signature)).toBe(false);
    }
  });

  it('reject a key and an R that are not points', () => {
    expect(() => ed25519.Point.fromBytes(NO_POINT)).toThrow();
    const { key, signature } = craftSignature(PLAIN);
    expect(accepts(checks, NO_POINT, MESSAGE, signature)).toBe(false);
    expect(accepts(checks, key, MESSAGE, concatBytes(NO_POINT, signature.subarray(32)))).toBe(false);
  });

  it('accept torsion components only where they cancel, because the equation has no cofactor', () => {
    const crafted = EIGHT.flatMap((keyTorsion) =>
      EIGHT.map((commitmentTorsion) => craftSignature({ ...PLAIN, keyTorsion, commitmentTorsion })),
    );
    for (const { key, signature, isExact } of crafted) {
      expect(ed25519.verify(signature, MESSAGE, key, { zip215: false })).toBe(true); // with the cofactor, all are valid
      expect(accepts(checks, key, MESSAGE, signature)).toBe(isExact);
    }
    const ofMixedKeys = crafted.slice(EIGHT.length).map(({ isExact }) => isExact);
    expect(new Set(ofMixedKeys)).toStrictEqual(new Set([true, false]));
  });
});

it('checks the encoding before any curve operation', () => {
  const checks = createSignatureChecks({
    recoverSecp256k1: () => expect.unreachable(),
    satisfiesEd25519: () => expect.unreachable(),
  });
  const isAccepted = (key: Uint8Array, r: Uint8Array, s: bigint) =>
    accepts(checks, key, MESSAGE, concatBytes(r, encodeLittleEndian(s)));
  expect(isAccepted(NEUTRAL, BASE, 1n)).toBe(false);
  expect(isAccepted(mixedPoint(0n, 1n), BASE, 1n)).toBe(false);
  expect(isAccepted(encodeLittleEndian(EDWARDS_PRIME + 3n), BASE, 1n)).toBe(false);
  expect(isAccepted(BASE, NEUTRAL, 1n)).toBe(false);
  expect(isAccepted(BASE, encodeLittleEndian(EDWARDS_PRIME + 3n), 1n)).toBe(false);
  expect(isAccepted(BASE, BASE, EDWARDS_ORDER)).toBe(false);
});
