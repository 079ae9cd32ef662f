/** Logs in binary: the same as from parsed JSON. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IrregularJson, JsonCursor } from '../rpc/json-cursor.ts';
import { countTicks } from '../../../../testing/harness/tick-counter.ts';
import { LogRows, readLogRows } from './log-rows.ts';
import { parseRawLog } from './raw-log.ts';

const toRows = (logs: unknown) => readLogRows(new JsonCursor(Buffer.from(JSON.stringify(logs))));
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

const inBlock = (number: number, index: number, address = WHOLE.address) => ({
  ...WHOLE,
  address,
  blockNumber: `0x${number.toString(16)}`,
  logIndex: `0x${index.toString(16)}`,
});
const MANY_ROWS = 25_000;

describe('merge', () => {
  test('returns the logs of all results in chain order', async () => {
    const place = fc.tuple(fc.nat(5), fc.nat(5));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(place, fc.nat(3)), { maxLength: 30 }), async (places) => {
        const sorted = places.sort(([[block, index]], [[other, at]]) => block - other || index - at);
        const parts = [0, 1, 2, 3].map((part) => sorted.filter(([, of]) => of === part));
        const merged = await LogRows.merge(
          parts.map((part) => toRows(part.map(([[block, index]]) => inBlock(block, index)))),
        );
        expect([...merged].map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual(
          sorted.map(([at]) => at),
        );
      }),
    );
  });

  test('yields between many rows', async () => {
    const parts = [0, 1].map((part) => toRows(Array.from({ length: MANY_ROWS / 2 }, (_, i) => inBlock(i, part))));
    let merged: LogRows | undefined;
    expect(await countTicks(async () => (merged = await LogRows.merge(parts)))).toBe(2);
    expect([...merged!].map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: MANY_ROWS }, (_, i) => Math.floor(i / 2)),
    );
  });
});

describe('everyOrigin', () => {
  const blocks = Array.from({ length: MANY_ROWS }, (_, i) => inBlock(i, 0));

  test('tests a few rows at once', () => {
    const rows = toRows(blocks.slice(0, 10));
    expect([rows.everyOrigin((number) => number < 10), rows.everyOrigin((number) => number < 9)]).toEqual([
      true,
      false,
    ]);
    expect(toRows([]).everyOrigin(() => false)).toBe(true);
  });

  test.each([
    [MANY_ROWS, true, 2],
    [MANY_ROWS - 1, false, 2],
    [15_000, false, 1],
  ])('yields between many rows, of which those below %i pass: %o', async (below, expected, ticks) => {
    const rows = toRows(blocks);
    const seen: string[] = [];
    const test = (number: number, address: string, readBlockHash: () => string) => {
      if (number === 20_000) seen.push(address, readBlockHash());
      return number < below;
    };
    let isEvery: boolean | undefined;
    expect(await countTicks(async () => (isEvery = await rows.everyOrigin(test)))).toBe(ticks);
    expect(isEvery).toBe(expected);
    expect(seen).toEqual(below > 20_000 ? [WHOLE.address, WHOLE.blockHash] : []);
  });
});
