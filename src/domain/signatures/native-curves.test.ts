import { utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { createNativeCurves, NATIVE_SECP256K1 } from './native-curves.ts';
import { PORTABLE_CURVES } from './portable-curves.ts';
import { createSignatureChecks } from './signature-checks.ts';
import { createMainChainKey } from '../../../testing/fixtures/signing-keys.ts';

const MESSAGE = utf8ToBytes('a message');
const WALLET = createMainChainKey(new Uint8Array(32).fill(1));

it('recovers keys by the portable implementation without the native package', () => {
  const curves = createNativeCurves(undefined);
  expect(curves.recoverSecp256k1).toBe(PORTABLE_CURVES.recoverSecp256k1);
  expect(createSignatureChecks(curves).recoverSigner(MESSAGE, WALLET.sign(MESSAGE))).toBe(WALLET.address);
});

describe('the native package for secp256k1', () => {
  it('is installed here', () => {
    expect(NATIVE_SECP256K1).toBeDefined();
  });

  it('is called with r and s, the parity, the digest, and for an uncompressed key', () => {
    const calls: unknown[][] = [];
    const curves = createNativeCurves({
      ecdsaRecover(...args) {
        calls.push(args);
        return NATIVE_SECP256K1!.ecdsaRecover(...args);
      },
    });
    expect(createSignatureChecks(curves).recoverSigner(MESSAGE, WALLET.sign(MESSAGE))).toBe(WALLET.address);
    const shapes = calls.flat().map((part) => (part instanceof Uint8Array ? part.length : part));
    expect(shapes).toStrictEqual([64, 1, 32, false]);
  });

  it('yields no key when it throws', () => {
    const curves = createNativeCurves({
      ecdsaRecover: () => {
        throw new Error('Public key could not be recover');
      },
    });
    expect(createSignatureChecks(curves).recoverSigner(MESSAGE, WALLET.sign(MESSAGE))).toBeUndefined();
  });
});
