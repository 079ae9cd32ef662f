import { describe, expect, it } from 'vitest';
import { pairEvents } from './event-pairing.ts';
import type { EventRecord } from './machine-facts.ts';

const record = (value: bigint, eventType = 0): EventRecord => ({
  eventType,
  value,
  timestamp: 1000n,
  dataHash: '0x',
  trustLevel: 1,
  sourceChainId: 0n,
  sourceTxHash: '0x',
  metadata: '0x',
  currency: eventType === 0 ? 'USD' : '',
});
const log = (seq: number, value: bigint, eventIndex = BigInt(seq), eventType = 0) => ({
  seq,
  eventIndex,
  eventType,
  value,
  blockTimestamp: 2000 + seq,
  isChipOnRecord: false,
  changedHandsBefore: undefined,
});
const DECLARED = { attested: false, paidCents: 0, changedHandsBefore: undefined };
const UNREADABLE = expect.objectContaining({ kind: 'ChainUnreadable', context: { chain: 'main', cause: 'events' } });

describe('the k-th log belongs to the k-th record', () => {
  it('assigns each record the block time of its log', () => {
    expect(pairEvents([record(7n), record(8n, 1)], [log(3, 7n), log(4, 8n, 4n, 1)], 3, false)).toEqual([
      { seq: 3, type: 0, value: 7n, currency: 'USD', timestamp: 1000n, trust: 1, blockTimestamp: 2003, ...DECLARED },
      { seq: 4, type: 1, value: 8n, currency: '', timestamp: 1000n, trust: 1, blockTimestamp: 2004, ...DECLARED },
    ]);
  });

  it.each([
    [2, true, true],
    [2, false, false],
    [1, true, false],
    [3, true, false],
  ])('attests trust level %i with a chip on record %s: %s', (trustLevel, isChipOnRecord, attested) => {
    const logs = [{ ...log(0, 7n), isChipOnRecord, changedHandsBefore: 1990 }];
    const [event] = pairEvents([{ ...record(7n), trustLevel }], logs, 0, false);
    expect(event).toMatchObject({ attested, changedHandsBefore: 1990 });
  });

  it('accepts a log index other than the position only for a machine with prior events', () => {
    const pair = (hasPriorEvents: boolean) => pairEvents([record(7n)], [log(0, 7n, 12n)], 0, hasPriorEvents);
    expect(pair(true)).toHaveLength(1);
    expect(() => pair(false)).toThrow(UNREADABLE);
  });

  it.each([
    ['a log is missing', [record(7n), record(8n)], [log(0, 7n)]],
    ['a record is missing', [record(7n)], [log(0, 7n), log(1, 8n)]],
    ['the values differ', [record(7n)], [log(0, 8n)]],
    ['the types differ', [record(7n)], [log(0, 7n, 0n, 1)]],
    ['the position differs', [record(7n)], [log(1, 7n)]],
    ['the position alone differs', [record(7n)], [log(1, 7n, 0n)]],
  ])('is unreadable when %s', (_name, records, logs) => {
    expect(() => pairEvents(records, logs, 0, false)).toThrow(UNREADABLE);
  });
});
