import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { Fault } from '../../domain/faults.ts';
import { LogQueryRefused, type ChainLog } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import { NEVER, createHarness, machine, type IndexerHarness } from '../../../testing/fixtures/indexer-harness.ts';

const A = machine(11);
const MACHINE = { generation: 'current', id: A, hasPriorEvents: false } as const;

/** A is imported in block 2, which is indexed, and again in block 4; the head is 5. */
async function openHarness(): Promise<IndexerHarness> {
  const chain = new FakeChain();
  chain.mine([submitted(A)]);
  chain.mine([imported(A, 1n)]);
  const harness = createHarness({ chain, store: await createMemoryStore() });
  // The fake chain has its own finality lag: two empty blocks finalize the import.
  chain.mineMany(2);
  await harness.index.advance(NEVER);
  chain.rollBack(2);
  chain.mine();
  chain.mine([imported(A, 2n)]);
  chain.mine();
  return harness;
}

async function read({ eventTimes, chain }: IndexerHarness, block = chain.head, count = 0) {
  try {
    return (await eventTimes.readPinnedHistory({ ...MACHINE, block, count })).epoch;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.kind;
  }
}

it('readPinnedHistory counts the imports up to a block, indexed or not', async () => {
  const harness = await openHarness();
  await harness.follower.poll();
  expect(await read(harness)).toBe(2);
  expect(await read(harness, harness.chain.headerAt(4))).toBe(2);
  expect(await read(harness, harness.chain.headerAt(3))).toBe(1);
  expect(await read(harness, harness.chain.headerAt(2))).toBe(1);
});

it('readPinnedHistory fails for a block before an import that the index has passed', async () => {
  const harness = await openHarness();
  await harness.follower.poll();
  const block = harness.chain.headerAt(3);
  harness.chain.mineMany(3);
  await harness.index.advance(NEVER);
  await harness.follower.poll();
  expect((await harness.store.readMainChainCheckpoint())!.blockNumber).toBeGreaterThan(4);
  expect(await read(harness, block)).toBe('ChainUnreadable');
});

it('readPinnedHistory fails for a block before an import that the followed blocks hide', async () => {
  const chain = new FakeChain();
  chain.mine([submitted(A)]);
  chain.mineMany(2);
  const harness = createHarness({ chain, store: await createMemoryStore(), completeness: 'trusted' });
  await harness.index.advance(NEVER);
  await harness.follower.poll();
  const block = chain.head;
  expect(await read(harness, block, 1)).toBe(0);
  chain.faults.logs = () => [];
  chain.mine([imported(A, 1n), submitted(A)]);
  await harness.follower.poll();
  chain.faults = {};
  chain.mineMany(2);
  await harness.follower.poll();
  await harness.index.advance(NEVER);
  expect((await harness.store.readMainChainCheckpoint())!.blockNumber).toBeGreaterThan(block.number);
  expect(await read(harness, block, 1)).toBe('ChainUnreadable');
  expect(await read(harness, chain.head, 1)).toBe(1);
});

it('readPinnedHistory fails while the index and the block are not known to be on one chain', async () => {
  const harness = await openHarness();
  expect(await read(harness)).toBe('EventIndexSyncing');
  await harness.follower.poll();
  harness.chain.mine();
  expect(await read(harness)).toBe('EventIndexSyncing');
  expect(await read(harness, { ...harness.chain.headerAt(4), hash: '0xother' })).toBe('EventIndexSyncing');
});

/** The head 5 is followed and the index is at 7, which the follower has not seen yet. */
async function openOvertaken(): Promise<IndexerHarness> {
  const harness = await openHarness();
  await harness.follower.poll();
  harness.chain.mineMany(4);
  await harness.index.advance(NEVER);
  expect((await harness.store.readMainChainCheckpoint())!.blockNumber).toBe(7);
  harness.chain.requests.length = 0;
  return harness;
}

it('readPinnedHistory returns the epoch of a followed block while the index is ahead of the followed blocks', async () => {
  const harness = await openOvertaken();
  expect(
    await Promise.all([read(harness, harness.chain.headerAt(5)), read(harness, harness.chain.headerAt(5))]),
  ).toEqual([2, 2]);
  expect(harness.chain.requests).toEqual(['logs', 'headers', 'block-logs']);
  expect(await read(harness, harness.chain.headerAt(3))).toBe('ChainUnreadable');
});

it('readPinnedHistory fails when the node returns another block than the pinned or the indexed one', async () => {
  const harness = await openOvertaken();
  expect(await read(harness, { ...harness.chain.headerAt(5), hash: '0xother' })).toBe('EventIndexSyncing');
  const pinned = harness.chain.headerAt(5);
  harness.chain.rollBack(3);
  harness.chain.mineMany(3);
  expect(await read(harness, pinned)).toBe('EventIndexSyncing');
});

it.each([
  ['the node refuses the query', 'EventIndexSyncing', () => [new LogQueryRefused('range-too-large')]],
  [
    'the logs belong to a fork',
    'ChainUnreadable',
    (logs: readonly ChainLog[]) => logs.map((log) => ({ ...log, blockHash: '0x' })),
  ],
] as const)('readPinnedHistory fails when %s', async (_name, expected, falsify) => {
  const harness = await openOvertaken();
  harness.chain.faults.logs = (logs) => {
    const altered = falsify(logs);
    if (altered[0] instanceof Error) throw altered[0];
    return altered as readonly ChainLog[];
  };
  expect(await read(harness, harness.chain.headerAt(3))).toBe(expected);
});
