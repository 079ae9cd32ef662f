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
  openBench,
  seqsOf,
} from '../../../testing/fixtures/main-index-harness.ts';
import { NEVER } from '../../../testing/fixtures/indexer-harness.ts';

describe('the main-chain index', () => {
  it('stores what was logged up to the finalized block, with the time of each block', async () => {
    const bench = await openBench({ chain: createHistory() });
    expect(await bench.index.advance(NEVER)).toEqual({
      kind: 'caught-up',
      block: { number: 7, hash: bench.chain.headerAt(7).hash, timestamp: bench.chain.headerAt(7).timestamp },
    });
    expect(await seqsOf(bench)).toEqual(HISTORY_OF_A);
    const [row] = await bench.store.listEventLogs('second', A, 0, 1);
    expect(row!.blockTimestamp).toBe(bench.chain.headerAt(2).timestamp);
    expect(await bench.store.readMainChainCheckpoint()).toEqual({
      blockNumber: 7,
      blockHash: bench.chain.headerAt(7).hash,
    });
  });

  it('goes on where it was, in any windows, in a new process', async () => {
    const { chain, store } = await openBench({ chain: createHistory() });
    for (const maxWindowBlocks of [1, 2, 3]) {
      const bench = await openBench({ chain, store, maxWindowBlocks });
      expect(await advance(bench)).toBe('caught-up');
      chain.mine([submitted(A, { value: BigInt(chain.head.number) })]);
    }
    const bench = await openBench({ chain, store });
    expect(await advance(bench)).toBe('caught-up');
    expect(await seqsOf(bench)).toEqual([...HISTORY_OF_A, [4, 8, 1_005n], [5, 10, 9n]]);
  });

  it('asks patiently only in a step after one that caught up', async () => {
    const [chain, patientChain] = [createHistory(), createHistory()];
    const bench = await openBench({ chain, patientChain });
    const chains = [chain, patientChain];
    const step = async () => {
      for (const { requests } of chains) requests.length = 0;
      const came = await advance(bench);
      return [came, ...chains.map(({ requests }) => requests.length > 0)];
    };
    expect(await step()).toEqual(['caught-up', true, false]);
    for (const each of chains) each.mine([submitted(A, { value: 1_006n }), transferred(B)]);
    expect(await step()).toEqual(['caught-up', false, true]);
    patientChain.behind = 5;
    expect(await step()).toEqual(['head-behind', false, true]);
    patientChain.behind = 0;
    for (const each of chains) each.mineMany(2);
    expect(await step()).toEqual(['caught-up', true, false]);
    expect(await step()).toEqual(['caught-up', false, true]);
    expect(await seqsOf(bench)).toEqual([...HISTORY_OF_A, [4, 8, 1_005n], [5, 10, 1_006n]]);
  });

  it('begins at the configured block', async () => {
    const bench = await openBench({ chain: createHistory(), startBlock: 4 });
    await advance(bench);
    expect((await seqsOf(bench)).map(([, block]) => block)).toEqual([4, 4, 7]);
  });

  it('waits until the first block is final', async () => {
    const bench = await openBench({ chain: createHistory(), startBlock: 8 });
    expect(await advance(bench)).toBe('waiting');
    expect(await bench.store.readMainChainCheckpoint()).toBeUndefined();
  });

  it('begins a history anew after an import', async () => {
    const chain = createHistory();
    chain.mine([imported(A, 40n), submitted(A, { value: 77n })]);
    chain.mineMany(2);
    const bench = await openBench({ chain });
    await advance(bench);
    expect(await seqsOf(bench)).toEqual([[0, 10, 77n]]);
    expect(await bench.store.readEventLogCount('second', A)).toEqual({ count: 1, epoch: 1 });
  });

  it('tells how far it is', async () => {
    const bench = await openBench({ chain: createHistory() });
    expect(await bench.status.readMainChainIndex()).toEqual({
      indexedBlock: undefined,
      headBlock: undefined,
      headObservedAtMilliseconds: undefined,
    });
    await advance(bench);
    expect(await bench.status.readMainChainIndex()).toEqual({
      indexedBlock: 7,
      headBlock: 9,
      headObservedAtMilliseconds: bench.time.nowMilliseconds(),
    });
  });

  it('never moves backwards with a node that is behind', async () => {
    const bench = await openBench({ chain: createHistory() });
    await advance(bench);
    bench.chain.behind = 1;
    expect(await advance(bench)).toBe('caught-up');
    bench.chain.behind = 3;
    expect(await advance(bench)).toBe('head-behind');
    expect((await bench.status.readMainChainIndex()).headBlock).toBe(8);
    bench.chain.behind = 0;
    expect(await advance(bench)).toBe('caught-up');
    expect(await seqsOf(bench)).toEqual(HISTORY_OF_A);
  });

  it('lets another process be first', async () => {
    const first = await openBench({ chain: createHistory(), maxWindowBlocks: 2 });
    const second = await openBench({ chain: first.chain, store: first.store, maxWindowBlocks: 3 });
    const outcomes = await Promise.all([advance(first), advance(second)]);
    expect(outcomes).toContain('caught-up');
    expect(await seqsOf(first)).toEqual(HISTORY_OF_A);
  });
});

it('leaves the work to another process that was first', async () => {
  const { chain, store } = await openBench({ chain: createHistory() });
  const overtaken = { ...store, advanceMainChain: () => Promise.resolve(false) };
  const bench = await openBench({ chain, store: overtaken });
  expect(await advance(bench)).toBe('waiting');
});

describe('an index of something else', () => {
  it('of another deployment is refused', async () => {
    const { chain, store } = await openBench({ chain: createHistory() });
    await advance(await openBench({ chain, store }));
    const other = await openBench({ chain, store, identity: 'layout=1 chain=2 start=0' });
    expect(await other.index.claim()).toBe(false);
    expect(await advance(other)).toBe('other-deployment');
    expect(other.standing.refusal()).toBe('other-deployment');
    await expect(other.status.readMainChainIndex()).rejects.toEqual(chainUnreadable('main', 'contradiction'));
  });

  it('of a chain that was reorganised past finality is refused, and left as it is', async () => {
    const bench = await openBench({ chain: createHistory() });
    await advance(bench);
    const before = await bench.store.readMainChainCheckpoint();
    bench.chain.rollBack(4);
    bench.chain.mineMany(8);
    expect(await advance(bench)).toBe('checkpoint-not-on-chain');
    expect(await advance(bench)).toBe('checkpoint-not-on-chain');
    expect(await bench.store.readMainChainCheckpoint()).toEqual(before);
    expect(await seqsOf(bench)).toEqual(HISTORY_OF_A);
    await expect(bench.status.readMainChainIndex()).rejects.toEqual(chainUnreadable('main', 'contradiction'));
    expect(bench.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);

    const restarted = await openBench({ chain: bench.chain, store: bench.store });
    expect(await advance(restarted)).toBe('checkpoint-not-on-chain');
  });

  it.each([
    ['as high as the index', 2],
    ['lower than the index', 1],
  ])('is seen when the finalized block is %s', async (_name, newBlocks) => {
    const bench = await openBench({ chain: createHistory() });
    await advance(bench);
    bench.chain.rollBack(4);
    bench.chain.mineMany(2 + newBlocks);
    expect(await advance(bench)).toBe('checkpoint-not-on-chain');
  });

  it('is served again when the proof was one bad node', async () => {
    const bench = await openBench({ chain: createHistory() });
    await advance(bench);
    bench.chain.faults.header = (header) => ({ ...header, hash: `${header.hash.slice(0, -1)}f` });
    expect(await advance(bench)).toBe('checkpoint-not-on-chain');
    bench.chain.faults = {};
    expect(await advance(bench)).toBe('caught-up');
    expect((await bench.status.readMainChainIndex()).indexedBlock).toBe(7);
  });
});

describe('a long backfill', () => {
  it('reads a few windows ahead, in order, and tells its progress', async () => {
    const chain = new FakeChain();
    for (let i = 0; i < 1_500; i++) chain.mine(i % 7 === 0 ? [submitted(A, { value: BigInt(i) })] : []);
    const bench = await openBench({ chain, maxWindowBlocks: 100 });
    let inFlight = 0;
    let most = 0;
    const readLogs = chain.readLogs.bind(chain);
    chain.readLogs = async (query) => {
      most = Math.max(most, ++inFlight);
      return readLogs(query).finally(() => inFlight--);
    };
    expect(await advance(bench)).toBe('caught-up');
    expect(most).toBe(4);
    expect((await bench.store.readEventLogCount('second', A)).count).toBe(214);
    expect(bench.log.lines.at(-1)).toMatchObject({
      level: 'info',
      fields: { indexedBlock: 1_498, finalizedBlock: 1_498, percent: 100 },
      message: 'main-chain index has caught up',
    });
  });

  it('reads each machine once, at the finalized block', async () => {
    const chain = new FakeChain();
    const OTHER = (A + 1n) as MachineId;
    for (let i = 0; i < 200; i++) chain.mine([transferred(i % 2 === 0 ? A : OTHER)]);
    const bench = await openBench({ chain, maxWindowBlocks: 10 });
    const asked: [number, readonly bigint[]][] = [];
    const readOwnership = chain.readOwnership.bind(chain);
    chain.readOwnership = (block, ids) => {
      asked.push([block.number, ids]);
      return readOwnership(block, ids);
    };
    expect(await advance(bench)).toBe('caught-up');
    expect(asked).toEqual([[198, [A, OTHER]]]);
    // Near the head every window is read at its own end.
    chain.mineMany(4);
    expect(await advance(bench)).toBe('caught-up');
    expect(asked.slice(1)).toEqual([[202, [A, OTHER]]]);
  });

  it('looks after the head in between', async () => {
    const chain = new FakeChain();
    chain.mineMany(100);
    const bench = await openBench({ chain, maxWindowBlocks: 10 });
    chain.faults.before = (request) => {
      if (request === 'logs') bench.time.jump(5_000);
    };
    expect(await advance(bench)).toBe('behind');
    const { indexedBlock, headBlock } = await bench.status.readMainChainIndex();
    expect([indexedBlock! < 98, headBlock]).toEqual([true, 100]);
    while ((await advance(bench)) === 'behind');
    expect((await bench.status.readMainChainIndex()).indexedBlock).toBe(98);
  });

  it('stops where nothing is lost', async () => {
    const chain = new FakeChain();
    chain.mineMany(100);
    const abort = new AbortController();
    let windows = 0;
    chain.faults.before = (request) => {
      if (request === 'logs' && ++windows === 5) abort.abort();
    };
    const bench = await openBench({ chain, maxWindowBlocks: 10 });
    expect(await bench.index.advance(abort.signal)).toEqual({ kind: 'behind' });
    expect(await advance(bench)).toBe('caught-up');
  });
});
