/** Logs in binary: the same as from parsed JSON. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IrregularJson, JsonCursor } from '../rpc/json-cursor.ts';
import { readLogRows } from './log-rows.ts';
import { parseRawLog } from './raw-log.ts';

const readText = (text: string) => [...readLogRows(new JsonCursor(Buffer.from(text)))];
const read = (logs: unknown) => readText(JSON.stringify(logs));

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (length: number) =>
  fc.tuple(bytes(length), fc.boolean()).map(([each, isUpper]) => {
    const digits = Buffer.from(each).toString('hex');
    return `0x${isUpper ? digits.toUpperCase() : digits}`;
  });
const quantity = fc.maxSafeNat().map((value) => `0x${value.toString(16)}`);
const log = fc.record(
  {
    address: hex(20),
    topics: fc.array(hex(32), { maxLength: 4 }),
    data: fc.uint8Array({ maxLength: 200 }).map((each) => `0x${Buffer.from(each).toString('hex')}`),
    blockNumber: quantity,
    blockHash: hex(32),
    logIndex: quantity,
    transactionHash: hex(32),
    transactionIndex: quantity,
    removed: fc.constant(false),
    blockTimestamp: fc.option(quantity),
  },
  {
    requiredKeys: ['address', 'topics', 'data', 'blockNumber', 'blockHash', 'logIndex', 'transactionHash'],
    noNullPrototype: true,
  },
);

const WHOLE = {
  address: `0x${'ab'.repeat(20)}`,
  topics: [`0x${'01'.repeat(32)}`],
  data: '0xff',
  blockNumber: '0x10',
  blockHash: `0x${'02'.repeat(32)}`,
  logIndex: '0x0',
  transactionHash: `0x${'03'.repeat(32)}`,
};

describe('readLogRows', () => {
  test('returns what parseRawLog returns', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 20 }), (logs) => {
        expect(read(logs)).toEqual(logs.map(parseRawLog));
      }),
    );
  });

  test('reads rows beyond its first buffer', () => {
    const logs = Array.from({ length: 1_000 }, (_, i) => ({ ...WHOLE, logIndex: `0x${i.toString(16)}` }));
    expect(read(logs).map(({ logIndex }) => logIndex)).toEqual(logs.map((_, i) => i));
  });

  test.each<[name: string, change: object]>([
    ['a missing member', { data: undefined }],
    ['a pending block', { blockNumber: null }],
    ['no hash', { blockHash: null }],
    ['a log that was removed', { removed: true }],
    ['five topics', { topics: Array.from({ length: 5 }, () => WHOLE.topics[0]) }],
    ['a short topic', { topics: ['0x01'] }],
    ['topics that are no list', { topics: null }],
    ['a letter that is no digit', { data: '0xfg' }],
    ['half a byte', { data: '0xfff' }],
    ['an address as a list', { address: [WHOLE.address] }],
    ['a number', { logIndex: 0 }],
  ])('leaves %s to the general parser, which refuses it', (_, change) => {
    expect(read([WHOLE])).toHaveLength(1);
    const entry = JSON.parse(JSON.stringify({ ...WHOLE, ...change })) as unknown;
    expect(() => read([WHOLE, entry])).toThrow(IrregularJson);
    expect(parseRawLog(entry)).toBeUndefined();
  });

  test('refuses a second list of topics', () => {
    const text = JSON.stringify([WHOLE]);
    expect(readText(text)).toHaveLength(1);
    expect(() => readText(text.replace('"data"', '"topics":[],"data"'))).toThrow(IrregularJson);
  });
});
