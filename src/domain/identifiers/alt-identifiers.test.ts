import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import { altKeyBytes, formatAltKey, parseAltKey } from './alt-identifiers.ts';

const KEY = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';

describe('a key', () => {
  rule('address-keyed.address-form');

  it.each([KEY, '1'.repeat(32), 'wAciSj3rqsUah2YsGHTmUMzx9LxZtowTsiC9HkmcVG8'])(
    '%s is read as it is spelled',
    (text) => {
      const key = parseAltKey(text)!;
      expect(key).toBe(text);
      expect(altKeyBytes(key)).toHaveLength(32);
      expect(formatAltKey(altKeyBytes(key))).toBe(text);
    },
  );

  it.each([
    ['nothing', ''],
    ['31 bytes', '1'.repeat(31)],
    ['33 bytes', '1'.repeat(33)],
    ['33 bytes in 44 characters', 'z'.repeat(44)],
    ['a space before', ` ${KEY}`],
    ['a line break after', `${KEY}\n`],
    ['a letter outside the alphabet', KEY.replace('G', 'l')],
    ['another letter case', KEY.toLowerCase()],
    ['a main-chain address', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'],
  ])('is rejected: %s', (_name, text) => {
    expect(parseAltKey(text)).toBeUndefined();
  });

  it('is rejected with another number of bytes', () => {
    expect(() => formatAltKey(new Uint8Array(31))).toThrow(RangeError);
  });
});

it.each([0, 31, 33])('rejects %i bytes', (length) => {
  expect(() => formatAltKey(new Uint8Array(length))).toThrow(new RangeError('a key has 32 bytes'));
});
