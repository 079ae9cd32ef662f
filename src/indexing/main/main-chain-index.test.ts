import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { imported, submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import {
  A,
  B,
  HISTORY_OF_A,
  advance,
  createHistory,
  openHarness,
  seqsOf,
} from '../../../testing/fixtures/main-index-harness.ts';
import { NEVER } from '../../../testing/fixtures/indexer-harness.ts';

describe('the main-chain index', () => {
  it('stores the logs up to the finalized block with the time of each block', async () => {
    const harness = await openHarness({ chain: createHistory() });
    expect(await harness.index.advance(NEVER)).toEqual({
      kind: 'caught-up',
      block: { number: 7, hash: harness.chain.headerAt(7).hash, timestamp: harness.chain.headerAt(7).timestamp },
    });
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
    const [row] = await harness.store.listEventLogs('current', A, 0, 1);
    expect(row!.blockTimestamp).toBe(harness.chain.headerAt(2).timestamp);
    expect(await harness.store.readMainChainCheckpoint()).toEqual({
      blockNumber: 7,
      blockHash: harness.chain.headerAt(7).hash,
    });
  });

  it('resumes in a new process with any window size', async () => {
    const { chain, store } = await openHarness({ chain: createHistory() });
    for (const maxWindowBlocks of [1, 2, 3]) {
      const harness = await openHarness({ chain, store, maxWindowBlocks });
      expect(await advance(harness)).toBe('caught-up');
      chain.mine([submitted(A, { value: BigInt(chain.head.number) })]);
    }
    const harness = await openHarness({ chain, store });
    expect(await advance(harness)).toBe('caught-up');
    expect(await seqsOf(harness)).toEqual([...HISTORY_OF_A, [4, 8, 1_005n], [5, 10, 9n]]);
  });

  it('uses deferred requests only in a deferred step', async () => {
    const [chain, deferredChain] = [createHistory(), createHistory()];
    const { index, store } = await openHarness({ chain, deferredChain });
    const chains = [chain, deferredChain];
    const step = async (isDeferred: boolean) => {
      for (const { requests } of chains) requests.length = 0;
      await index.advance(new AbortController().signal, isDeferred);
      return chains.map(({ requests }) => requests.length > 0);
    };
    expect(await step(false)).toEqual([true, false]);
    for (const each of chains) each.mine([submitted(A, { value: 1_006n }), transferred(B)]);
    expect(await step(true)).toEqual([false, true]);
    deferredChain.behind = 5;
    await expect(step(true)).rejects.toThrow('head-behind');
    expect(await seqsOf({ store })).toEqual([...HISTORY_OF_A, [4, 8, 1_005n]]);
  });

  it.each([
    ['off', 'trusted', false],
    ['background', 'proven', true],
  ] as const)('takes blocks near the head in mode %s as %s', async (proof, completeness, isProven) => {
    const harness = await openHarness({ chain: createHistory(), proof, completeness });
    expect(await advance(harness)).toBe('caught-up');
    const { store, chain } = harness;
    const blocks = await store.listUnprovenBlocks(Number.MAX_SAFE_INTEGER, 99);
    expect(blocks.map(({ blockNumber }) => blockNumber)).toEqual(isProven ? [] : [7, 5, 4, 3, 2]);
    for (const { blockNumber, blockHash, blockTimestamp } of blocks) {
      const { hash, timestamp } = chain.headerAt(blockNumber);
      expect({ blockHash, blockTimestamp }).toEqual({ blockHash: hash, blockTimestamp: timestamp });
    }
    expect(await store.areBlocksProven(0, 7)).toBe(isProven);
  });

  it('starts at the configured block', async () => {
    const harness = await openHarness({ chain: createHistory(), startBlock: 4 });
    await advance(harness);
    expect((await seqsOf(harness)).map(([, block]) => block)).toEqual([4, 4, 7]);
  });

  it('waits until the first block is final', async () => {
    const harness = await openHarness({ chain: createHistory(), startBlock: 8 });
    expect(await advance(harness)).toBe('waiting');
    expect(await harness.store.readMainChainCheckpoint()).toBeUndefined();
  });

  it('restarts a history after an import', async () => {
    const chain = createHistory();
    chain.mine([imported(A, 40n), submitted(A, { value: 77n })]);
    chain.mineMany(2);
    const harness = await openHarness({ chain });
    await advance(harness);
    expect(await seqsOf(harness)).toEqual([[0, 10, 77n]]);
    expect(await harness.store.readEventLogCount('current', A)).toEqual({ count: 1, epoch: 1 });
  });

  it('reports its progress', async () => {
    const harness = await openHarness({ chain: createHistory() });
    expect(await harness.status.readMainChainIndex()).toMatchObject({
      indexedBlock: undefined,
      headBlock: undefined,
      headObservedAtMilliseconds: undefined,
    });
    await advance(harness);
    expect(await harness.status.readMainChainIndex()).toMatchObject({
      indexedBlock: 7,
      headBlock: 9,
      headObservedAtMilliseconds: harness.time.nowMilliseconds(),
    });
  });

  it('never moves backwards when a node is behind', async () => {
    const harness = await openHarness({ chain: createHistory() });
    await advance(harness);
    harness.chain.behind = 1;
    expect(await advance(harness)).toBe('caught-up');
    harness.chain.behind = 3;
    expect(await advance(harness)).toBe('head-behind');
    expect((await harness.status.readMainChainIndex()).headBlock).toBe(8);
    harness.chain.behind = 0;
    expect(await advance(harness)).toBe('caught-up');
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
  });

  it('accepts that another process was first', async () => {
    const first = await openHarness({ chain: createHistory(), maxWindowBlocks: 2 });
    const second = await openHarness({ chain: first.chain, store: first.store, maxWindowBlocks: 3 });
    const outcomes = await Promise.all([advance(first), advance(second)]);
    expect(outcomes).toContain('caught-up');
    expect(await seqsOf(first)).toEqual(HISTORY_OF_A);
  });
});

it('leaves the work to another process that was first', async () => {
  const { chain, store } = await openHarness({ chain: createHistory() });
  const overtaken = { ...store, advanceMainChain: () => Promise.resolve(false) };
  const harness = await openHarness({ chain, store: overtaken });
  expect(await advance(harness)).toBe('waiting');
});

describe('a foreign index', () => {
  it('is refused when it belongs to another deployment', async () => {
    const { chain, store } = await openHarness({ chain: createHistory() });
    await advance(await openHarness({ chain, store }));
    const other = await openHarness({ chain, store, identity: 'layout=1 chain=2 start=0' });
    expect(await other.index.claim()).toBe(false);
    expect(await advance(other)).toBe('other-deployment');
    expect(other.integrity.refusal()).toBe('other-deployment');
    await expect(other.status.readMainChainIndex()).rejects.toEqual(chainUnreadable('main', 'contradiction'));
  });

  it('is refused and left unchanged after a reorg past finality', async () => {
    const harness = await openHarness({ chain: createHistory() });
    await advance(harness);
    const before = await harness.store.readMainChainCheckpoint();
    harness.chain.rollBack(4);
    harness.chain.mineMany(8);
    expect(await advance(harness)).toBe('checkpoint-not-on-chain');
    expect(await advance(harness)).toBe('checkpoint-not-on-chain');
    expect(await harness.store.readMainChainCheckpoint()).toEqual(before);
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
    await expect(harness.status.readMainChainIndex()).rejects.toEqual(chainUnreadable('main', 'contradiction'));
    expect(harness.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);

    const restarted = await openHarness({ chain: harness.chain, store: harness.store });
    expect(await advance(restarted)).toBe('checkpoint-not-on-chain');
  });

  it.each([
    ['at the height of the index', 2],
    ['below the index', 1],
  ])('is detected when the finalized block is %s', async (_name, newBlocks) => {
    const harness = await openHarness({ chain: createHistory() });
    await advance(harness);
    harness.chain.rollBack(4);
    harness.chain.mineMany(2 + newBlocks);
    expect(await advance(harness)).toBe('checkpoint-not-on-chain');
  });

  it('is served again when a single bad node caused the proof', async () => {
    const harness = await openHarness({ chain: createHistory() });
    await advance(harness);
    harness.chain.faults.header = (header) => ({ ...header, hash: `${header.hash.slice(0, -1)}f` });
    expect(await advance(harness)).toBe('checkpoint-not-on-chain');
    harness.chain.faults = {};
    expect(await advance(harness)).toBe('caught-up');
    expect((await harness.status.readMainChainIndex()).indexedBlock).toBe(7);
  });
});

describe('a long backfill', () => {
  it('reads a few windows ahead, in order, and logs its progress', async () => {
    const chain = new FakeChain();
    for (let i = 0; i < 1_500; i++) chain.mine(i % 7 === 0 ? [submitted(A, { value: BigInt(i) })] : []);
    const harness = await openHarness({ chain, maxWindowBlocks: 100 });
    let inFlight = 0;
    let most = 0;
    const readLogs = chain.readLogs.bind(chain);
    chain.readLogs = async (query) => {
      most = Math.max(most, ++inFlight);
      return readLogs(query).finally(() => inFlight--);
    };
    expect(await advance(harness)).toBe('caught-up');
    expect(most).toBe(4);
    expect((await harness.store.readEventLogCount('current', A)).count).toBe(214);
    expect(harness.log.lines.at(-1)).toMatchObject({
      level: 'info',
      fields: { indexedBlock: 1_498, finalizedBlock: 1_498, percent: 100 },
      message: 'main-chain index has caught up',
    });
  });

  it('reads each machine once, at the finalized block', async () => {
    const chain = new FakeChain();
    const OTHER = (A + 1n) as MachineId;
    for (let i = 0; i < 200; i++) chain.mine([transferred(i % 2 === 0 ? A : OTHER)]);
    const harness = await openHarness({ chain, maxWindowBlocks: 10 });
    const requests: [number, readonly bigint[]][] = [];
    const readOwnership = chain.readOwnership.bind(chain);
    chain.readOwnership = (block, ids) => {
      requests.push([block.number, ids]);
      return readOwnership(block, ids);
    };
    expect(await advance(harness)).toBe('caught-up');
    expect(requests).toEqual([[198, [A, OTHER]]]);
    // Near the head every window is read at its last block.
    chain.mineMany(4);
    expect(await advance(harness)).toBe('caught-up');
    expect(requests.slice(1)).toEqual([[202, [A, OTHER]]]);
  });

  it('polls the head in between', async () => {
    const chain = new FakeChain();
    chain.mineMany(100);
    const harness = await openHarness({ chain, maxWindowBlocks: 10 });
    chain.faults.before = (request) => {
      if (request === 'logs') harness.time.jump(5_000);
    };
    expect(await advance(harness)).toBe('behind');
    const { indexedBlock, headBlock } = await harness.status.readMainChainIndex();
    expect([indexedBlock! < 98, headBlock]).toEqual([true, 100]);
    while ((await advance(harness)) === 'behind');
    expect((await harness.status.readMainChainIndex()).indexedBlock).toBe(98);
  });

  it('stops without losing work', async () => {
    const chain = new FakeChain();
    chain.mineMany(100);
    const abort = new AbortController();
    let windows = 0;
    chain.faults.before = (request) => {
      if (request === 'logs' && ++windows === 5) abort.abort();
    };
    const harness = await openHarness({ chain, maxWindowBlocks: 10 });
    expect(await harness.index.advance(abort.signal)).toEqual({ kind: 'behind' });
    expect(await advance(harness)).toBe('caught-up');
  });
});
