/** Which account does an EIP-191 signature speak for, and when for none? */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { hashPersonalMessage } from './personal-message.ts';
import { createSignatureChecks } from './signature-checks.ts';
import { SECP256K1_ORDER } from './signature-encoding-rules.ts';
import { recoverableSignatureBytes, type RecoverableSignature } from './signature-parsing.ts';
import { createMainChainKey, IMPLEMENTATIONS, spellRecoverable } from '../../../testing/fixtures/signing-keys.ts';

const MESSAGE = utf8ToBytes('a message');
const OTHER_MESSAGE = utf8ToBytes('a massage');
const WALLET = createMainChainKey(new Uint8Array(32).fill(1));
const SIGNATURE = WALLET.sign(MESSAGE);

const BYTES = recoverableSignatureBytes(SIGNATURE);
const [R, S, V] = [BYTES.subarray(0, 32), BYTES.subarray(32, 64), BYTES[64]!];
const OTHER_V = 27 + 28 - V;

it('hashes the length of the message in bytes', () => {
  // As wallets and libraries of the main chain do for `hello world`.
  expect(bytesToHex(hashPersonalMessage(utf8ToBytes('hello world')))).toBe(
    'd9eba16ed0ecae432b71fe008c98cc872bb4cc214d3220a36f365326cf807d68',
  );
  expect(hashPersonalMessage(utf8ToBytes('é'))).not.toStrictEqual(hashPersonalMessage(utf8ToBytes('e')));
});

describe.each(IMPLEMENTATIONS)('%s', (_name, checks) => {
  const recover = (r: Uint8Array, s: Uint8Array, v: number) =>
    checks.recoverSigner(MESSAGE, spellRecoverable(concatBytes(r, s), v));

  it('recovers the account that signed', () => {
    expect(checks.recoverSigner(MESSAGE, SIGNATURE)).toBe('0x1a642f0e3c3af545e7acbd38b07251b3990914f1');
  });

  it('recovers it from hex digits of either case', () => {
    const shouted = `0x${SIGNATURE.slice(2).toUpperCase()}` as RecoverableSignature;
    expect(checks.recoverSigner(MESSAGE, shouted)).toBe(WALLET.address);
  });

  it('recovers it from the twin with a high s', () => {
    const highS = bigEndian(SECP256K1_ORDER - toNumber(S));
    expect(recover(R, highS, OTHER_V)).toBe(WALLET.address);
  });

  it('recovers another account for another message and for the other parity', () => {
    const others = [checks.recoverSigner(OTHER_MESSAGE, SIGNATURE), recover(R, S, OTHER_V)];
    for (const other of others) expect(other).toMatch(/^0x[0-9a-f]{40}$/);
    expect(new Set([...others, WALLET.address]).size).toBe(3);
  });

  it.each([0, 1, 2, 3, 26, 29, 37, 255])('finds nobody behind the recovery byte %i', (v) => {
    expect(recover(R, S, v)).toBeUndefined();
  });

  it.each([
    ['r = 0', bigEndian(0n), S],
    ['r = n', bigEndian(SECP256K1_ORDER), S],
    ['s = 0', R, bigEndian(0n)],
    ['s = n', R, bigEndian(SECP256K1_ORDER)],
  ])('finds nobody behind %s', (_case, r, s) => {
    expect(recover(r, s, V)).toBeUndefined();
  });

  it('finds nobody behind an r that is the x of no point', () => {
    const r = bigEndian(5n);
    expect(() => secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(2), r))).toThrow();
    expect(recover(r, S, 27)).toBeUndefined();
    expect(recover(r, S, 28)).toBeUndefined();
  });

  it('finds nobody where the key would be the point at infinity', () => {
    // [s]R = [h]G, so that Q = ([s]R - [h]G) / r is none.
    const { Fn, BASE } = secp256k1.Point;
    const h = Fn.create(toNumber(hashPersonalMessage(MESSAGE)));
    const commitment = BASE.multiply(Fn.mul(h, Fn.inv(2n))).toAffine();
    expect(recover(bigEndian(commitment.x), bigEndian(2n), commitment.y % 2n === 0n ? 27 : 28)).toBeUndefined();
    expect(recover(bigEndian(commitment.x), bigEndian(2n), commitment.y % 2n === 0n ? 28 : 27)).toBeDefined();
  });
});

it('judges the form before any arithmetic', () => {
  const checks = createSignatureChecks({
    recoverSecp256k1: () => expect.unreachable(),
    satisfiesEd25519: () => expect.unreachable(),
  });
  for (const text of [spellRecoverable(concatBytes(R, S), 0), spellRecoverable(new Uint8Array(64), 27)]) {
    expect(checks.recoverSigner(MESSAGE, text)).toBeUndefined();
  }
});

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}

function bigEndian(number: bigint): Uint8Array {
  return hexToBytes(number.toString(16).padStart(64, '0'));
}
