/** Borsh encoder: round trips through the reader of the service, and the bytes of the published vectors. */
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../src/adapters/alt-chain/accounts/byte-reader.ts';
import { readEventRecord } from '../../src/adapters/alt-chain/transactions/event-record.ts';
import { eventCases, toEventRecord, toId } from '../../testing/fixtures/alt-chain-vectors.ts';
import { parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { BorshWriter, toWord } from './borsh-writer.ts';

const KEY = parseAltKey('9sN1LRY25uuSLCV3o9zH5JRfkLEZC8t1KvJpZ65oa24F')!;

describe('encoded values', () => {
  it('are decoded unchanged by the reader of the service', () => {
    const bytes = new BorshWriter()
      .u8(255)
      .u16(65_535)
      .u32(4_294_967_295)
      .u64(2n ** 64n - 1n)
      .i64(-2n)
      .word(2n ** 255n + 1n)
      .bool(true)
      .key(KEY)
      .key(undefined)
      .address('0x00000000000000000000000000000000000000aB')
      .address(undefined)
      .blob('0x0102')
      .text('é')
      .list([3, 4], (writer, item) => writer.u8(item))
      .option(undefined, (writer, item: number) => writer.u8(item))
      .option(5, (writer, item) => writer.u8(item))
      .bytes();
    const reader = new ByteReader(bytes);
    expect([
      ...[reader.u8(), reader.u16(), reader.u32(), reader.u64(), reader.i64(), reader.word(), reader.bool()],
      ...[reader.optionalKey(), reader.optionalKey(), reader.optionalAddress(), reader.optionalAddress()],
      ...[reader.blob(), reader.text(), reader.list(1, () => reader.u8())],
      ...[reader.option(() => reader.u8()), reader.option(() => reader.u8())],
    ]).toStrictEqual([
      ...[255, 65_535, 4_294_967_295, 2n ** 64n - 1n, -2n, 2n ** 255n + 1n, true],
      ...[KEY, undefined, '0x00000000000000000000000000000000000000ab', undefined],
      ...['0x0102', 'é', [3, 4]],
      ...[undefined, 5],
    ]);
    expect(() => reader.finish()).not.toThrow();
  });

  it.each<[name: string, write: () => unknown]>([
    ['256 in a byte', () => new BorshWriter().u8(256)],
    ['a negative number', () => new BorshWriter().u64(-1n)],
    ['2^256 in a word', () => toWord(2n ** 256n)],
    ['half a byte', () => new BorshWriter().hex('0x123')],
    ['letters that are not hex digits', () => new BorshWriter().hex('0xzz')],
  ])('are rejected when they do not fit: %s', (_name, write) => {
    expect(write).toThrow(RangeError);
  });
});

describe.each(eventCases)('record $eventIndex of machine $machineId', ({ machineId, instruction, decoded }) => {
  it('is encoded as the bytes of its instruction', () => {
    const record = toEventRecord(decoded);
    const written = new BorshWriter().hex('aa7f8995a8b2ff0c').word(toId(machineId)).eventRecord(record).bytes();
    expect(Buffer.from(written).toString('base64')).toBe(instruction);
    expect(readEventRecord(new ByteReader(written.subarray(40)))).toStrictEqual(record);
  });
});
