/** EIP-191 signatures: recovery of the account, and signatures that yield none. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { hashPersonalMessage } from './personal-message.ts';
import { createSignatureChecks } from './signature-checks.ts';
import { SECP256K1_ORDER } from './signature-encoding-rules.ts';
import { recoverableSignatureBytes, type RecoverableSignature } from './signature-parsing.ts';
import { createMainChainKey, IMPLEMENTATIONS, formatRecoverable } from '../../../testing/fixtures/signing-keys.ts';

const MESSAGE = utf8ToBytes('a message');
const OTHER_MESSAGE = utf8ToBytes('a massage');
const WALLET = createMainChainKey(new Uint8Array(32).fill(1));
const SIGNATURE = WALLET.sign(MESSAGE);

const BYTES = recoverableSignatureBytes(SIGNATURE);
const [R, S, V] = [BYTES.subarray(0, 32), BYTES.subarray(32, 64), BYTES[64]!];
const OTHER_V = 27 + 28 - V;

it('hashes the length of the message in bytes', () => {
  // The digest that wallets compute for `hello world`.
  expect(bytesToHex(hashPersonalMessage(utf8ToBytes('hello world')))).toBe(
    'd9eba16ed0ecae432b71fe008c98cc872bb4cc214d3220a36f365326cf807d68',
  );
  expect(hashPersonalMessage(utf8ToBytes('é'))).not.toStrictEqual(hashPersonalMessage(utf8ToBytes('e')));
});

describe.each(IMPLEMENTATIONS)('%s recoverSigner', (_name, checks) => {
  const recover = (r: Uint8Array, s: Uint8Array, v: number) =>
    checks.recoverSigner(MESSAGE, formatRecoverable(concatBytes(r, s), v));

  it('returns the account that signed', () => {
    expect(checks.recoverSigner(MESSAGE, SIGNATURE)).toBe('0x1a642f0e3c3af545e7acbd38b07251b3990914f1');
  });

  it('accepts hex digits of either case', () => {
    const upperCase = `0x${SIGNATURE.slice(2).toUpperCase()}` as RecoverableSignature;
    expect(checks.recoverSigner(MESSAGE, upperCase)).toBe(WALLET.address);
  });

  it('returns the same account for the equivalent signature with a high s', () => {
    const highS = bigEndian(SECP256K1_ORDER - toNumber(S));
    expect(recover(R, highS, OTHER_V)).toBe(WALLET.address);
  });

  it('returns another account for another message and for the other parity', () => {
    const others = [checks.recoverSigner(OTHER_MESSAGE, SIGNATURE), recover(R, S, OTHER_V)];
    for (const other of others) expect(other).toMatch(/^0x[0-9a-f]{40}$/);
    expect(new Set([...others, WALLET.address]).size).toBe(3);
  });

  it.each([0, 1, 2, 3, 26, 29, 37, 255])('returns undefined for recovery byte %i', (v) => {
    expect(recover(R, S, v)).toBeUndefined();
  });

  it.each([
    ['r = 0', bigEndian(0n), S],
    ['r = n', bigEndian(SECP256K1_ORDER), S],
    ['s = 0', R, bigEndian(0n)],
    ['s = n', R, bigEndian(SECP256K1_ORDER)],
  ])('returns undefined for %s', (_case, r, s) => {
    expect(recover(r, s, V)).toBeUndefined();
  });

  it('returns undefined when r is not the x of a point', () => {
    const r = bigEndian(5n);
    expect(() => secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(2), r))).toThrow();
    expect(recover(r, S, 27)).toBeUndefined();
    expect(recover(r, S, 28)).toBeUndefined();
  });

  it('returns undefined when the key would be the point at infinity', () => {
    // [s]R = [h]G, so that Q = ([s]R - [h]G) / r is the point at infinity.
    const { Fn, BASE } = secp256k1.Point;
    const h = Fn.create(toNumber(hashPersonalMessage(MESSAGE)));
    const commitment = BASE.multiply(Fn.mul(h, Fn.inv(2n))).toAffine();
    expect(recover(bigEndian(commitment.x), bigEndian(2n), commitment.y % 2n === 0n ? 27 : 28)).toBeUndefined();
    expect(recover(bigEndian(commitment.x), bigEndian(2n), commitment.y % 2n === 0n ? 28 : 27)).toBeDefined();
  });
});

it('checks the encoding before any curve operation', () => {
  const checks = createSignatureChecks({
    recoverSecp256k1: () => expect.unreachable(),
    satisfiesEd25519: () => expect.unreachable(),
  });
  for (const text of [formatRecoverable(concatBytes(R, S), 0), formatRecoverable(new Uint8Array(64), 27)]) {
    expect(checks.recoverSigner(MESSAGE, text)).toBeUndefined();
  }
});

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}

function bigEndian(number: bigint): Uint8Array {
  return hexToBytes(number.toString(16).padStart(64, '0'));
}
