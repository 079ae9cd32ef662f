import { expect, it } from 'vitest';
import { createStore } from '../../adapters/sql/create-store.ts';
import { Fault } from '../../domain/faults.ts';
import { LogQueryRefused, type ChainLog } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import { NEVER, createBench, machine, type Bench } from '../../../testing/fixtures/indexer-harness.ts';

const A = machine(11);

/** A is imported in block 2, which is indexed, and again in block 4; the head is 5. */
async function openBench(): Promise<Bench> {
  const chain = new FakeChain();
  chain.mine([submitted(A)]);
  chain.mine([imported(A, 1n)]);
  const bench = createBench({ chain, store: await createStore('sqlite::memory:') });
  // The fake chain's finality is its own: two empty blocks make the import final.
  chain.mineMany(2);
  await bench.index.advance(NEVER);
  chain.rollBack(2);
  chain.mine();
  chain.mine([imported(A, 2n)]);
  chain.mine();
  return bench;
}

async function read({ eventTimes, chain }: Bench, block = chain.head) {
  try {
    return await eventTimes.readEventEpoch('second', A, block);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.kind;
  }
}

it('the epoch counts the imports up to a block, indexed or not', async () => {
  const bench = await openBench();
  await bench.follower.poll();
  expect(await read(bench)).toBe(2);
  expect(await read(bench, bench.chain.headerAt(4))).toBe(2);
  expect(await read(bench, bench.chain.headerAt(3))).toBe(1);
  expect(await read(bench, bench.chain.headerAt(2))).toBe(1);
});

it('the epoch is still known of a block that the index has passed', async () => {
  const bench = await openBench();
  await bench.follower.poll();
  const block = bench.chain.headerAt(3);
  bench.chain.mineMany(3);
  await bench.index.advance(NEVER);
  await bench.follower.poll();
  expect((await bench.store.readMainChainCheckpoint())!.blockNumber).toBeGreaterThan(4);
  expect(await read(bench, block)).toBe(1);
});

it('the epoch is not told while the index and the block are not known to be of one chain', async () => {
  const bench = await openBench();
  expect(await read(bench)).toBe('EventIndexSyncing');
  await bench.follower.poll();
  bench.chain.mine();
  expect(await read(bench)).toBe('EventIndexSyncing');
  expect(await read(bench, { ...bench.chain.headerAt(4), hash: '0xother' })).toBe('EventIndexSyncing');
});

/** The head 5 is followed, the index has gone on to 7, and the follower has not seen that yet. */
async function openOvertaken(): Promise<Bench> {
  const bench = await openBench();
  await bench.follower.poll();
  bench.chain.mineMany(4);
  await bench.index.advance(NEVER);
  expect((await bench.store.readMainChainCheckpoint())!.blockNumber).toBe(7);
  bench.chain.requests.length = 0;
  return bench;
}

it('the epoch is known of a followed block while the index is ahead of the followed blocks', async () => {
  const bench = await openOvertaken();
  expect(await Promise.all([read(bench, bench.chain.headerAt(5)), read(bench, bench.chain.headerAt(5))])).toEqual([
    2, 2,
  ]);
  expect(bench.chain.requests).toEqual(['logs', 'headers', 'block-logs']);
  expect(await read(bench, bench.chain.headerAt(3))).toBe(1);
});

it('the epoch is not told where the node shows another block than the pinned one, or than that of the index', async () => {
  const bench = await openOvertaken();
  expect(await read(bench, { ...bench.chain.headerAt(5), hash: '0xother' })).toBe('EventIndexSyncing');
  const pinned = bench.chain.headerAt(5);
  bench.chain.rollBack(3);
  bench.chain.mineMany(3);
  expect(await read(bench, pinned)).toBe('EventIndexSyncing');
});

it.each([
  ['nobody answers', 'EventIndexSyncing', () => [new LogQueryRefused('range-too-large')]],
  [
    'the logs are of a fork',
    'ChainUnreadable',
    (logs: readonly ChainLog[]) => logs.map((log) => ({ ...log, blockHash: '0x' })),
  ],
] as const)('the epoch is not told where %s', async (_name, expected, lie) => {
  const bench = await openOvertaken();
  bench.chain.faults.logs = (logs) => {
    const told = lie(logs);
    if (told[0] instanceof Error) throw told[0];
    return told as readonly ChainLog[];
  };
  expect(await read(bench, bench.chain.headerAt(3))).toBe(expected);
});
