import { hexToBytes } from '@noble/hashes/utils.js';
import { expect, it } from 'vitest';
import { isMainChainSecret } from './account-keys.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const secret = (number: bigint, bytes = 32) => hexToBytes(number.toString(16).padStart(2 * bytes, '0'));

it.each<[name: string, bytes: Uint8Array, isValid: boolean]>([
  ['1', secret(1n), true],
  ['the order minus 1', secret(ORDER - 1n), true],
  ['0', secret(0n), false],
  ['the order', secret(ORDER), false],
  ['31 bytes', secret(1n, 31), false],
  ['33 bytes', secret(1n, 33), false],
  ['no bytes', new Uint8Array(), false],
])('checks whether %s is a main-chain secret', (_name, bytes, isValid) => {
  expect(isMainChainSecret(bytes)).toBe(isValid);
});
