/** Strict encoding and decoding of contract functions. */
import { encodeAbiParameters, parseAbi, parseAbiParameters, toFunctionSelector, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { contractFunction } from './contract-function.ts';

const abi = parseAbi([
  'struct Small { uint8 tier; uint64 time; address who; bool on; }',
  'struct Large { string text; Small[] smalls; uint256[] numbers; bytes32 hash; bytes data; }',
  'function wordOf(uint256 id) view returns (uint16)',
  'function whoOf(uint256 id) view returns (address)',
  'function smallOf() view returns (Small)',
  'function threeOf() view returns (uint64 at, bool on, uint8 value)',
  'function largeOf() view returns (Large)',
  'function textsOf() view returns (string[] texts)',
]);

const wordOf = contractFunction(abi, 'wordOf');
const whoOf = contractFunction(abi, 'whoOf');
const smallOf = contractFunction(abi, 'smallOf');
const threeOf = contractFunction(abi, 'threeOf');
const largeOf = contractFunction(abi, 'largeOf');
const textsOf = contractFunction(abi, 'textsOf');

const words = (...values: readonly bigint[]): Hex =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`;
const MAX = 2n ** 256n - 1n;

test('encodes calls with their selector', () => {
  expect(abi.map(({ name }) => contractFunction(abi, name).selector)).toEqual(abi.map(toFunctionSelector));
  expect(wordOf.encode([7n])).toBe(wordOf.selector + words(7n).slice(2));
  expect(smallOf.encode([])).toBe(smallOf.selector);
});

describe('a word', () => {
  test('is decoded when it is in range', () => {
    expect(wordOf.decode(words(65_535n))).toBe(65_535);
    expect(whoOf.decode(words(0xabcdefn))).toBe(`0x${'abcdef'.padStart(40, '0')}`);
    expect(smallOf.decode(words(255n, 2n ** 64n - 1n, 1n, 1n))).toEqual({
      tier: 255,
      time: 2n ** 64n - 1n,
      who: `0x${'1'.padStart(40, '0')}`,
      on: true,
    });
    expect(threeOf.decode(words(9n, 0n, 100n))).toEqual([9n, false, 100]);
  });

  test.each([
    ['a uint16 of 65536', wordOf.decode(words(65_536n))],
    ['a uint16 of all ones', wordOf.decode(words(MAX))],
    ['an address of 161 bits', whoOf.decode(words(2n ** 160n))],
    ['a uint8 of 256 inside a struct', smallOf.decode(words(256n, 0n, 0n, 0n))],
    ['a uint64 of 65 bits inside a struct', smallOf.decode(words(0n, 2n ** 64n, 0n, 0n))],
    ['a dirty address inside a struct', smallOf.decode(words(0n, 0n, MAX, 0n))],
    ['a boolean of 2', threeOf.decode(words(0n, 2n, 0n))],
    ['no data', wordOf.decode('0x')],
    ['half a word', wordOf.decode('0x00000000000000000000000000000001')],
    ['a word too many', wordOf.decode(words(1n, 1n))],
    ['a word too few', smallOf.decode(words(1n, 1n, 1n))],
  ])('is rejected: %s', (_, decoded) => {
    expect(decoded).toBeUndefined();
  });
});

describe('a result with dynamic parts', () => {
  const encode = (tier: bigint) =>
    encodeAbiParameters(
      parseAbiParameters([
        'Large large',
        'struct Small { uint256 tier; uint64 time; address who; bool on; }',
        'struct Large { string text; Small[] smalls; uint256[] numbers; bytes32 hash; bytes data; }',
      ]),
      [
        {
          text: 'é',
          smalls: [{ tier, time: 1n, who: `0x${'a'.repeat(40)}`, on: false }],
          numbers: [MAX],
          hash: `0x${'1'.repeat(64)}`,
          data: '0x00ff',
        },
      ],
    );

  test('is decoded into objects, as strictly', () => {
    expect(largeOf.decode(encode(3n))).toEqual({
      text: 'é',
      smalls: [{ tier: 3, time: 1n, who: `0x${'a'.repeat(40)}`, on: false }],
      numbers: [MAX],
      hash: `0x${'1'.repeat(64)}`,
      data: '0x00ff',
    });
    expect(largeOf.decode(encode(256n))).toBeUndefined();
  });

  test('is rejected when it is truncated anywhere', () => {
    const whole = encode(3n);
    for (let length = 2; length < whole.length - 62; length += 2) {
      expect(largeOf.decode(whole.slice(0, length) as Hex)).toBeUndefined();
    }
  });

  test('is rejected cheaply when an offset or length points outside of it', () => {
    for (const position of [0, 1, 2, 3, 5, 6]) {
      const whole = encode(3n);
      const at = 2 + 64 * position;
      expect(largeOf.decode(`${whole.slice(0, at)}${'f'.repeat(64)}${whole.slice(at + 64)}` as Hex)).toBeUndefined();
    }
  });

  test('is rejected when two offsets lead to the same bytes', () => {
    const text = `0x${Buffer.from('a'.repeat(32)).toString('hex')}` as const;
    const apart = words(32n, 2n, 64n, 128n, 32n, BigInt(text), 32n, BigInt(text));
    expect(textsOf.decode(apart)).toEqual(['a'.repeat(32), 'a'.repeat(32)]);
    expect(textsOf.decode(words(32n, 2n, 64n, 64n, 32n, BigInt(text)))).toBeUndefined();
  });

  test.each(['zz', '0', 'g0'])('is rejected when it ends with %j, which are no bytes', (end) => {
    expect(textsOf.decode(`${words(32n, 0n)}${end}`)).toBeUndefined();
  });
});
