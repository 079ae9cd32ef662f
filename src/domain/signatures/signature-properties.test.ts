/** Properties: all implementations accept and reject the same signatures. */
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
  formatRecoverable,
} from '../../../testing/fixtures/signing-keys.ts';
import { rule } from '../../../test/conformance/rule.ts';

const ALL_CHECKS = IMPLEMENTATIONS.map(([, checks]) => checks);

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
const secret = seed.filter((bytes) => secp256k1.utils.isValidSecretKey(bytes));
const message = fc.uint8Array({ minLength: 1, maxLength: 200 });
const bit = fc.nat(7);

describe(`all implementations (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  it('recover the EIP-191 signer, and never the same one after a bit is flipped', () => {
    rule('security.altered-signature');
    const property = fc.property(secret, message, fc.nat(64), fc.nat(), bit, (key, text, at, textAt, which) => {
      const wallet = createMainChainKey(key);
      const signature = wallet.sign(text);
      expect(recoverByAll(text, recoverableSignatureBytes(signature))).toBe(wallet.address);
      expect(recoverByAll(flip(text, textAt, which), recoverableSignatureBytes(signature))).not.toBe(wallet.address);
      expect(recoverByAll(text, flip(recoverableSignatureBytes(signature), at, which))).not.toBe(wallet.address);
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('recover the same signer, or none, from any bytes', () => {
    const recovery = fc.oneof(fc.constantFrom(27, 28), fc.nat(255));
    const property = fc.property(message, fc.uint8Array({ minLength: 64, maxLength: 64 }), recovery, (text, rs, v) => {
      const signer = recoverByAll(text, Uint8Array.of(...rs, v));
      if (v !== 27 && v !== 28) expect(signer).toBeUndefined();
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('accept an Ed25519 signature, and reject it after a bit is flipped', () => {
    rule('security.altered-signature');
    const property = fc.property(seed, message, fc.nat(), fc.nat(), bit, (key, text, at, textAt, which) => {
      const owner = createAltChainKey(key);
      const [keyBytes, signature] = [altKeyBytes(owner.key), ed25519SignatureBytes(owner.sign(text))];
      expect(acceptByAll(keyBytes, text, signature)).toBe(true);
      expect(acceptByAll(keyBytes, flip(text, textAt, which), signature)).toBe(false);
      expect(acceptByAll(keyBytes, text, flip(signature, at, which))).toBe(false);
      expect(acceptByAll(flip(keyBytes, at, which), text, signature)).toBe(false);
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('reject arbitrary bytes as an Ed25519 signature', () => {
    const property = fc.property(seed, message, fc.uint8Array({ minLength: 64, maxLength: 64 }), (key, text, bytes) => {
      expect(acceptByAll(key, text, bytes)).toBe(false);
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  it('accept Ed25519 torsion components exactly where they cancel', () => {
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
      expect(acceptByAll(key, crafting.message, signature)).toBe(isExact);
    });
    fc.assert(property, PROPERTY_RUNS);
  });
});

/** Returns the signer that all implementations recover. */
function recoverByAll(text: Uint8Array, bytes: Uint8Array): string | undefined {
  const signature = formatRecoverable(bytes.subarray(0, 64), bytes[64]!);
  const [first, ...others] = ALL_CHECKS.map((checks) => checks.recoverSigner(text, signature));
  for (const other of others) expect(other).toBe(first);
  return first;
}

/** Returns the verdict of all implementations. What they accept, strict RFC 8032 with the cofactor accepts too. */
function acceptByAll(key: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
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
