import { describe, expect, it } from 'vitest';
import type { EventLogEntry } from '../../ports/store.ts';
import { RecentBlocks } from './recent-blocks.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';

const A = machine(11);

function block(number: number) {
  return { number, hash: `0x${number}`, timestamp: 1_000 + number };
}

function event(blockNumber: number, machineId = A): EventLogEntry {
  return {
    kind: 'submitted',
    generation: 'current',
    machineId,
    eventIndex: 0n,
    eventType: 0,
    value: BigInt(blockNumber),
    blockNumber,
    blockTimestamp: 1_000 + blockNumber,
    logIndex: 0,
  };
}

/** Blocks 11 to 15 above block 10, each with one event of A and one of another machine. */
function createRecent(limits = { blocks: 100, events: 100 }): RecentBlocks {
  const recent = new RecentBlocks({ blockNumber: 10, blockHash: '0x10' }, limits);
  for (let number = 11; number <= 15; number++)
    recent.append(block(number), [event(number), event(number, machine(12))]);
  return recent;
}

describe('recent blocks', () => {
  it('return hashes from the floor to the head', () => {
    const recent = createRecent();
    expect([9, 10, 11, 15, 16].map((number) => recent.hashAt(number))).toEqual([
      undefined,
      '0x10',
      '0x11',
      '0x15',
      undefined,
    ]);
    expect([recent.headNumber, recent.blockAt(10), recent.blockAt(11)?.timestamp]).toEqual([15, undefined, 1_011]);
  });

  it('list the events of one machine between two blocks', () => {
    const recent = createRecent();
    const list = (after: number, upTo: number) =>
      recent.listEvents('current', A, after, upTo).map((each) => each.blockNumber);
    expect([list(10, 15), list(12, 14), list(0, 11), list(15, 20), list(0, 9)]).toEqual([
      [11, 12, 13, 14, 15],
      [13, 14],
      [11],
      [],
      [],
    ]);
    expect(recent.listEvents('legacy', A, 10, 15)).toEqual([]);
  });

  it('span only blocks of their own chain', () => {
    const recent = createRecent();
    const spans = (from: number, to: number, fromHash = `0x${from}`, toHash = `0x${to}`) =>
      recent.spans({ blockNumber: from, blockHash: fromHash }, { ...block(to), hash: toHash });
    expect([spans(10, 15), spans(12, 13), spans(13, 13)]).toEqual([true, true, true]);
    expect([spans(9, 15), spans(10, 16), spans(14, 13)]).toEqual([false, false, false]);
    expect([spans(12, 14, '0xfork'), spans(12, 14, '0x12', '0xfork')]).toEqual([false, false]);
  });

  it('raise their floor, but never above the head and never down', () => {
    const recent = createRecent();
    const raise = (blockNumber: number) => {
      recent.raiseFloor(blockNumber);
      return recent.floor;
    };
    expect(raise(13)).toEqual({ blockNumber: 13, blockHash: '0x13' });
    expect(raise(11)).toEqual({ blockNumber: 13, blockHash: '0x13' });
    expect(raise(99)).toEqual({ blockNumber: 15, blockHash: '0x15' });
    expect(recent.headNumber).toBe(15);
  });

  it('retain no more blocks and events than the limits allow', () => {
    expect(createRecent({ blocks: 3, events: 100 }).floor.blockNumber).toBe(12);
    expect(createRecent({ blocks: 100, events: 4 }).floor.blockNumber).toBe(13);
    expect(createRecent({ blocks: 100, events: 1 }).floor.blockNumber).toBe(15);
  });
});
