import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, test } from 'vitest';
import { keccak256 } from './keccak.ts';

describe('keccak256', () => {
  test('returns the known hash of no bytes', () => {
    expect(Buffer.from(keccak256(new Uint8Array(0))).toString('hex')).toBe(
      'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    );
  });

  test.each([1, 31, 32, 135, 136, 137, 272, 600, 16_384, 100_000])(
    'matches the JavaScript implementation for %i bytes',
    (length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) % 251);
      expect([...keccak256(bytes)]).toEqual([...keccak_256(bytes)]);
    },
  );

  test('returns a result that a later call does not overwrite', () => {
    const first = keccak256(Uint8Array.of(1));
    const copy = [...first];
    keccak256(Uint8Array.of(2));
    expect([...first]).toEqual(copy);
  });
});
