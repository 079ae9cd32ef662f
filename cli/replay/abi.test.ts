/** ABI encoding of the replay against another encoder, and malformed data. */
import { describe, expect, it } from 'vitest';
import { encodeCall, encodeWord, hashOf, MalformedAbi, parseBytes, readTuple, topicOf } from './abi.ts';
import { encodeEvents } from '../../testing/fakes/replay-main-node.ts';

/** `MachineEvent[]` of two events, written by viem 2.57. */
const TWO_EVENTS = [
  '0000000000000000000000000000000000000000000000000000000000000020',
  '0000000000000000000000000000000000000000000000000000000000000002',
  '0000000000000000000000000000000000000000000000000000000000000040',
  '0000000000000000000000000000000000000000000000000000000000000220',
  '000000000000000000000000000000000000000000000000000000000000002a',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '000000000000000000000000000000000000000000000000000000000001e240',
  '000000000000000000000000000000000000000000000000000000006a92b700',
  'abababababababababababababababababababababababababababababababab',
  '0000000000000000000000000000000000000000000000000000000000000002',
  '0000000000000000000000000000000000000000000000000000000000000d0a',
  'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',
  '0000000000000000000000000000000000000000000000000000000000000140',
  '00000000000000000000000000000000000000000000000000000000000001a0',
  '0000000000000000000000000000000000000000000000000000000000000028',
  '7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d7b7d',
  '7b7d7b7d7b7d7b7d000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000003',
  '4555520000000000000000000000000000000000000000000000000000000000',
  '000000000000000000000000000000000000000000000000000000000000002a',
  '0000000000000000000000000000000000000000000000000000000000000001',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000001',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000140',
  '0000000000000000000000000000000000000000000000000000000000000160',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000000',
].join('');

const word = (hex: string) => hex.padStart(64, '0');

describe('calls and topics', () => {
  it.each([
    ['getEventCount(uint256)', '0x1c2eaa9c'],
    ['getEvents(uint256,uint256,uint256)', '0x0ea4e6a0'],
    ['priorEventCount(uint256)', '0x706304ef'],
    ['MAX_QUERY_LIMIT()', '0x23beb3dd'],
    ['subscriptionStatus(uint256)', '0x492f8724'],
  ])('encodes %s with the selector of chain-evm 2', (signature, selector) => {
    expect(encodeCall(signature, [])).toBe(selector);
  });

  it('encodes one word per argument', () => {
    expect(encodeCall('getEventCount(uint256)', [2n ** 256n - 1n])).toBe(`0x1c2eaa9c${'f'.repeat(64)}`);
    expect(encodeWord(42n)).toBe(`0x${word('2a')}`);
  });

  it('hashes with keccak256', () => {
    expect(topicOf('CROSS_CHAIN_MIRROR')).toBe('0x64bdb9ff260409297fec4bc6ce7fcc534d273570c8e892c8042f5ff350904284');
    expect(hashOf(new Uint8Array())).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  });
});

describe('a MachineEvent[]', () => {
  it('is read member by member', () => {
    const tuples = readTuple(parseBytes(`0x${TWO_EVENTS}`)).tuples(0);
    const read = tuples.map((tuple) => ({
      uints: [0, 1, 2, 3, 5, 6].map((index) => tuple.uint(index)),
      metadata: tuple.bytes(8).length,
      currency: String.fromCharCode(...tuple.bytes(9)),
    }));
    expect(read).toStrictEqual([
      { uints: [42n, 0n, 123456n, 1788000000n, 2n, 3338n], metadata: 40, currency: 'EUR' },
      { uints: [42n, 1n, 2n ** 256n - 1n, 2n ** 256n - 1n, 1n, 0n], metadata: 0, currency: '' },
    ]);
  });

  it('has the same encoding in the canned node', () => {
    const events = [
      { block: 1, type: 1, value: 2n ** 256n - 1n, currency: '', timestamp: 2n ** 256n - 1n, trust: 1 },
      { block: 1, type: 0, value: 5n, currency: 'EUR', timestamp: 9n, trust: 2, metadata: new Uint8Array(40) },
    ];
    const written = encodeEvents(42n, events).slice(2);
    // The second event above contains no hashes, so the first one here must have the same words.
    expect(written.slice(64 * 4, 64 * 16)).toBe(TWO_EVENTS.slice(-64 * 12));
    expect(
      readTuple(parseBytes(`0x${written}`))
        .tuples(0)
        .map((tuple) => tuple.bytes(8).length),
    ).toStrictEqual([0, 40]);
  });

  it('is rejected when truncated at any byte', () => {
    const read = (hex: string) =>
      readTuple(parseBytes(`0x${hex}`))
        .tuples(0)
        .map((tuple) => [0, 1, 2, 3, 5].map((index) => tuple.uint(index)).concat(BigInt(tuple.bytes(9).length)));
    // The last word is the empty length of the last currency; nothing after it is needed.
    for (let length = 0; length < TWO_EVENTS.length; length += 2) {
      expect(() => read(TWO_EVENTS.slice(0, length))).toThrow(MalformedAbi);
    }
    expect(read(TWO_EVENTS).length).toBe(2);
  });

  it.each([
    ['an array offset beyond the data', word('ffff')],
    ['an array offset of 2^256 − 1', 'f'.repeat(64)],
    ['more elements than bytes', word('20') + 'f'.repeat(64)],
  ])('is rejected with %s', (_name, hex) => {
    expect(() => readTuple(parseBytes(`0x${hex}`)).tuples(0)).toThrow(MalformedAbi);
  });

  it('is rejected with a uint that does not fit its type', () => {
    const tuple = readTuple(parseBytes(`0x${word('100')}`));
    expect(tuple.uint(0)).toBe(256n);
    expect(() => tuple.uint(0, 8)).toThrow(MalformedAbi);
    expect(() => tuple.bool(0)).toThrow(MalformedAbi);
  });

  it.each([[undefined], [null], [7], ['12'], ['0x1'], ['0xgg']])('is rejected when the bytes are %s', (value) => {
    expect(() => parseBytes(value)).toThrow(MalformedAbi);
  });
});
