/** Do all implementations accept and refuse alike, whatever they are given? */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { altKeyBytes } from '../identifiers/alt-identifiers.ts';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import { accepts, craftSignature } from '../../../testing/fixtures/crafted-ed25519.ts';
import { EDWARDS_ORDER } from './signature-encoding-rules.ts';
import { ed25519SignatureBytes, recoverableSignatureBytes } from './signature-parsing.ts';
import {
  createAltChainKey,
  createMainChainKey,
  IMPLEMENTATIONS,
  spellRecoverable,
} from '../../../testing/fixtures/signing-keys.ts';

const ALL_CHECKS = IMPLEMENTATIONS.map(([, checks]) => checks);

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
const secret = seed.filter((bytes) => secp256k1.utils.isValidSecretKey(bytes));
const message = fc.uint8Array({ minLength: 1, maxLength: 200 });
const bit = fc.nat(7);

describe(SEED_TITLE, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  it('EIP-191: the signer is recovered, and after any change of a bit never again', () => {
    const property = fc.property(secret, message, fc.nat(64), fc.nat(), bit, (key, text, at, textAt, which) => {
      const wallet = createMainChainKey(key);
      const signature = wallet.sign(text);
      expect(recoverAlike(text, recoverableSignatureBytes(signature))).toBe(wallet.address);
      expect(recoverAlike(flip(text, textAt, which), recoverableSignatureBytes(signature))).not.toBe(wallet.address);
      expect(recoverAlike(text, flip(recoverableSignatureBytes(signature), at, which))).not.toBe(wallet.address);
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('EIP-191: any bytes have one signer everywhere, or none', () => {
    const recovery = fc.oneof(fc.constantFrom(27, 28), fc.nat(255));
    const property = fc.property(message, fc.uint8Array({ minLength: 64, maxLength: 64 }), recovery, (text, rs, v) => {
      const signer = recoverAlike(text, Uint8Array.of(...rs, v));
      if (v !== 27 && v !== 28) expect(signer).toBeUndefined();
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('Ed25519: a signature is taken, and after any change of a bit refused', () => {
    const property = fc.property(seed, message, fc.nat(), fc.nat(), bit, (key, text, at, textAt, which) => {
      const owner = createAltChainKey(key);
      const [keyBytes, signature] = [altKeyBytes(owner.key), ed25519SignatureBytes(owner.sign(text))];
      expect(acceptAlike(keyBytes, text, signature)).toBe(true);
      expect(acceptAlike(keyBytes, flip(text, textAt, which), signature)).toBe(false);
      expect(acceptAlike(keyBytes, text, flip(signature, at, which))).toBe(false);
      expect(acceptAlike(flip(keyBytes, at, which), text, signature)).toBe(false);
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('Ed25519: any bytes are judged alike', () => {
    const property = fc.property(seed, message, fc.uint8Array({ minLength: 64, maxLength: 64 }), (key, text, bytes) => {
      expect(acceptAlike(key, text, bytes)).toBe(false);
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('Ed25519: parts of small order are taken exactly where they cancel', () => {
    const scalar = fc.bigInt(1n, EDWARDS_ORDER - 1n);
    const torsion = fc.bigInt(0n, 7n);
    const craft = fc.record({
      secret: scalar,
      keyTorsion: torsion,
      nonce: scalar,
      commitmentTorsion: torsion,
      message,
    });
    const property = fc.property(craft, (crafting) => {
      const { key, signature, isExact } = craftSignature(crafting);
      expect(acceptAlike(key, crafting.message, signature)).toBe(isExact);
    });
    fc.assert(property, PROPERTY_RUNS);
  });
});

/** The signer that all implementations recover. */
function recoverAlike(text: Uint8Array, bytes: Uint8Array): string | undefined {
  const signature = spellRecoverable(bytes.subarray(0, 64), bytes[64]!);
  const [first, ...others] = ALL_CHECKS.map((checks) => checks.recoverSigner(text, signature));
  for (const other of others) expect(other).toBe(first);
  return first;
}

/** What all implementations say. What our policy takes, the strict reading of RFC 8032 with the cofactor takes too. */
function acceptAlike(key: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  const [first, ...others] = ALL_CHECKS.map((checks) => accepts(checks, key, text, signature));
  for (const other of others) expect(other).toBe(first);
  if (first) expect(ed25519.verify(signature, text, key, { zip215: false })).toBe(true);
  return first!;
}

function flip(bytes: Uint8Array, at: number, which: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at % bytes.length]! ^= 1 << which;
  return changed;
}
