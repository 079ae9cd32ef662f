/** Codec of aggregate3, compared with viem. */
import { decodeFunctionData, decodeFunctionResult, encodeFunctionResult, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import { multicall3Abi } from './abis.ts';
import { decodeAggregate3, encodeAggregate3, type CallResult } from './aggregate3.ts';

const TARGET = `0x${'a1'.repeat(20)}` as Address;
const LENGTHS = [0, 1, 31, 32, 33, 36, 64, 300];

function bytesOf(length: number): Hex {
  return `0x${'5c'.repeat(length)}`;
}

function encodeAnswer(results: readonly CallResult[]): Hex {
  const result = results.map(({ success, data }) => ({ success, returnData: data }));
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}

describe('the codec of aggregate3', () => {
  it('encodes what viem decodes', () => {
    const calls = LENGTHS.map((length) => ({ target: TARGET, data: bytesOf(length) }));
    const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data: encodeAggregate3(calls) });
    expect(functionName).toBe('aggregate3');
    const [decoded] = args as unknown as [readonly { target: string; allowFailure: boolean; callData: Hex }[]];
    expect(decoded.map(({ target, ...rest }) => ({ target: target.toLowerCase(), ...rest }))).toEqual(
      calls.map(({ target, data }) => ({ target, allowFailure: true, callData: data })),
    );
  });

  it.each([0, 1, 3])('decodes what viem encodes, after %i other results', (others) => {
    const results = [...Array<number>(others).fill(32), ...LENGTHS].map((length, i) => ({
      success: i % 2 === 0,
      data: bytesOf(length),
    }));
    expect(decodeAggregate3(encodeAnswer(results))).toEqual(results);
  });

  it('accepts any letter case and returns lower case', () => {
    const answer = encodeAnswer([{ success: true, data: '0xabcd' }]);
    expect(decodeAggregate3(`0x${answer.slice(2).toUpperCase()}`)).toEqual([{ success: true, data: '0xabcd' }]);
  });

  it('rejects a result when a word is missing or points outside of it', () => {
    const answer = encodeAnswer([
      { success: true, data: bytesOf(32) },
      { success: false, data: bytesOf(32) },
    ]);
    const words = answer.slice(2).match(/.{64}/g)!;
    for (let length = 0; length < words.length; length++) {
      expect(decodeAggregate3(`0x${words.slice(0, length).join('')}`)).toBeUndefined();
    }
    const HUGE = ['f'.repeat(64), `${'0'.repeat(52)}${'f'.repeat(12)}`, `${'0'.repeat(56)}ffffffff`];
    const places = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10];
    for (const place of places) {
      for (const huge of HUGE) {
        expect(decodeAggregate3(`0x${words.with(place, huge).join('')}`), `word ${place}`).toBeUndefined();
      }
    }
  });

  it.each<[name: string, words: readonly number[]]>([
    ['two offsets to one result', [32, 2, 64, 64, 1, 64, 32, 7]],
    ['two results with one data', [32, 2, 64, 128, 1, 128, 1, 64, 32, 7]],
    ['a result inside of the data of another', [32, 2, 64, 160, 1, 64, 128, 1, 64, 32, 7]],
    ['a result whose offset is its data', [32, 1, 0, 0, 32]],
  ])('rejects results that share bytes: %s', (_name, words) => {
    const answer: Hex = `0x${words.map((each) => each.toString(16).padStart(64, '0')).join('')}`;
    expect(() => decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })).not.toThrow();
    expect(decodeAggregate3(answer)).toBeUndefined();
  });

  it.each([undefined, null, 7, '', '0x', '0x0', '0xzz', {}])('rejects %j', (answer) => {
    expect(decodeAggregate3(answer)).toBeUndefined();
  });
});
