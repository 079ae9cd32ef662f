import { describe, expect, it } from 'vitest';
import { createStore } from '../../adapters/sql/create-store.ts';
import { Fault, chainUnreadable } from '../../domain/faults.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import {
  NEVER,
  createBench,
  machine,
  type Bench,
  type BenchOptions,
} from '../../../testing/fixtures/indexer-harness.ts';

const A = machine(11);
const B = machine(12);

/** Events of A in 1 (two), 3, 5 and 6, of B in 4; all up to 3 is indexed, and the head 6 is followed. */
async function openBench(options: Partial<BenchOptions> = {}): Promise<Bench> {
  const chain = new FakeChain();
  chain.mine([submitted(A, { value: 10n }), submitted(A, { value: 11n })]);
  chain.mine();
  chain.mine([submitted(A, { value: 12n })]);
  chain.mineMany(2);
  const bench = createBench({ chain, store: await createStore('sqlite::memory:'), ...options });
  await bench.index.advance(NEVER);
  chain.rollBack(2);
  chain.mine([submitted(B, { value: 20n })]);
  chain.mine([submitted(A, { value: 13n })]);
  chain.mine([submitted(A, { value: 14n })]);
  await bench.follower.poll();
  chain.requests.length = 0;
  return bench;
}

async function read(
  { eventTimes, chain }: Bench,
  from: number,
  to: number,
  block = chain.head,
  hasPriorEvents = false,
) {
  try {
    const rows = await eventTimes.readEventLogs('second', A, from, to, block, hasPriorEvents);
    return rows.map(({ seq, eventIndex, value, blockNumber }) => [seq, eventIndex, value, blockNumber]);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [error.kind, error.context];
  }
}

const ROWS = [
  [0, 0n, 10n, 1],
  [1, 1n, 11n, 1],
  [2, 2n, 12n, 3],
  [3, 3n, 13n, 5],
  [4, 4n, 14n, 6],
];

const SYNCING = ['EventIndexSyncing', { indexedBlock: 3, headBlock: 6 }];

describe('block times of events', () => {
  it('come from the index and the blocks above it, without a request', async () => {
    const bench = await openBench();
    expect(await read(bench, 0, 5)).toEqual(ROWS);
    expect(await read(bench, 1, 3)).toEqual(ROWS.slice(1, 3));
    expect(await read(bench, 3, 5)).toEqual(ROWS.slice(3));
    expect(await read(bench, 4, 4)).toEqual([]);
    expect(bench.chain.requests).toEqual([]);
    const [row] = await bench.eventTimes.readEventLogs('second', A, 3, 4, bench.chain.head, false);
    expect(row!.blockTimestamp).toBe(bench.chain.headerAt(5).timestamp);
  });

  it('are those up to the pinned block', async () => {
    const bench = await openBench();
    expect(await read(bench, 0, 4, bench.chain.headerAt(5))).toEqual(ROWS.slice(0, 4));
    expect(await read(bench, 0, 5, bench.chain.headerAt(5))).toEqual(SYNCING);
    expect(await read(bench, 0, 3, bench.chain.headerAt(4))).toEqual(ROWS.slice(0, 3));
  });

  it('are unknown before the first block is indexed', async () => {
    const bench = createBench({ store: await createStore('sqlite::memory:') });
    bench.chain.mine([submitted(A)]);
    expect(await read(bench, 0, 1)).toEqual(['EventIndexSyncing', { indexedBlock: 0, headBlock: 1 }]);
  });

  it('go with the generation', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A, { value: 99n }, 'first')]);
    await bench.follower.poll();
    const rows = await bench.eventTimes.readEventLogs('first', A, 0, 1, bench.chain.head, false);
    expect(rows).toMatchObject([{ seq: 0, value: 99n, blockNumber: 7 }]);
    expect(await read(bench, 0, 5)).toEqual(ROWS);
  });

  it('begin anew after an import above the index', async () => {
    const bench = await openBench();
    bench.chain.mine([imported(A, 50n), submitted(A, { value: 60n })]);
    await bench.follower.poll();
    expect(await read(bench, 0, 1)).toEqual([[0, 0n, 60n, 7]]);
    expect(await read(bench, 0, 5, bench.chain.headerAt(6))).toEqual(ROWS);
    expect(await read(bench, 0, 2)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
  });

  it('are not those before an import that nobody has seen yet', async () => {
    const bench = await openBench();
    bench.chain.mine([imported(A, 50n), submitted(A, { value: 10n })]);
    const unseen = ['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }];
    expect(await read(bench, 0, 1, bench.chain.head, true)).toEqual(unseen);
    await bench.follower.poll();
    expect(await read(bench, 0, 1, bench.chain.head, true)).toEqual([[0, 0n, 10n, 7]]);
    expect(await read(bench, 0, 3, bench.chain.headerAt(3), true)).toEqual(ROWS.slice(0, 3));
  });

  it('are not those of a history that began anew after the pinned block', async () => {
    const bench = await openBench();
    const pinned = bench.chain.head;
    bench.chain.mine([imported(A, 50n), submitted(A, { value: 60n })]);
    bench.chain.mineMany(2);
    await bench.index.advance(NEVER);
    expect(await read(bench, 0, 1, pinned)).toEqual(['ChainUnreadable', { chain: 'main', cause: 'block-mismatch' }]);
  });

  it('stay right while the index advances between two reads', async () => {
    const bench = await openBench();
    const { store } = bench;
    const readCount = store.readEventLogCount.bind(store);
    let isAdvanced = false;
    store.readEventLogCount = async (...args) => {
      if (!isAdvanced) {
        isAdvanced = true;
        bench.chain.mineMany(2);
        await bench.index.advance(NEVER);
      }
      return readCount(...args);
    };
    expect(await read(bench, 0, 5, bench.chain.headerAt(6))).toEqual(ROWS);
  });

  it('are not told while the index is refused', async () => {
    const bench = await openBench();
    bench.standing.tell('index', 'checkpoint-not-on-chain');
    expect(await read(bench, 0, 1)).toEqual(['ChainUnreadable', { chain: 'main', cause: 'contradiction' }]);
  });
});

describe('block times of a fork', () => {
  it('are never mixed with those of the chain', async () => {
    const bench = await openBench();
    const forked = bench.chain.head;
    bench.chain.rollBack(2);
    bench.chain.mine([submitted(A, { value: 13n })]);
    bench.chain.mine();
    bench.chain.mine([submitted(A, { value: 14n })]);
    await bench.follower.poll();
    expect(await read(bench, 0, 5)).toEqual([...ROWS.slice(0, 4), [4, 4n, 14n, 7]]);
    expect(await read(bench, 0, 5, forked)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
    expect(await read(bench, 0, 3, forked)).toEqual(ROWS.slice(0, 3));
  });

  it('are not told of a pinned block that is gone', async () => {
    const bench = await openBench();
    const gone = bench.chain.mine([submitted(A, { value: 15n })]);
    bench.chain.rollBack(1);
    bench.chain.mine([submitted(A, { value: 16n })]);
    expect(await read(bench, 0, 6, gone)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
  });

  it('are not told before the follower has seen it', async () => {
    const bench = await openBench();
    bench.chain.rollBack(2);
    bench.chain.mine([submitted(A, { value: 13n })]);
    bench.chain.mine([submitted(A, { value: 14n })]);
    expect(await read(bench, 0, 5)).toEqual(SYNCING);
    await bench.follower.poll();
    expect(await read(bench, 0, 5)).toEqual(ROWS);
  });
});

describe('a targeted query', () => {
  it('finds what the follower has not seen yet', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A, { value: 15n })]);
    expect(await read(bench, 3, 6)).toEqual([...ROWS.slice(3), [5, 5n, 15n, 7]]);
    expect(bench.chain.requests).toEqual(['header', 'logs', 'headers']);
  });

  it('finds what is final where nothing above the index is known', async () => {
    const bench = await openBench();
    bench.chain.mineMany(3);
    const other = createBench({ chain: bench.chain, store: bench.store });
    expect(await read(other, 0, 5)).toEqual(ROWS);
    expect(bench.chain.requests.toSorted()).toEqual(['header', 'header', 'headers', 'logs']);
  });

  it('does not place logs that are neither final nor followed', async () => {
    const bench = await openBench();
    bench.chain.mine();
    const other = createBench({ chain: bench.chain, store: bench.store });
    expect(await read(other, 0, 5)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
    expect(await read(other, 0, 3)).toEqual(ROWS.slice(0, 3));
  });

  it('is made once for the same question, and not again where it was in vain', async () => {
    const bench = await openBench();
    const answers = await Promise.all([read(bench, 0, 6), read(bench, 0, 6), read(bench, 0, 6)]);
    expect(answers).toEqual([SYNCING, SYNCING, SYNCING]);
    expect(await read(bench, 0, 6)).toEqual(SYNCING);
    expect(bench.chain.requests).toEqual(['logs']);
    bench.chain.mine([submitted(A, { value: 15n })]);
    await bench.follower.poll();
    expect(await read(bench, 5, 6)).toEqual([[5, 5n, 15n, 7]]);
  });

  it('is made again where the node only asked to wait', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A, { value: 15n })]);
    bench.chain.faults.before = (method) => {
      if (method === 'logs') throw new LogQueryRefused('rate-limited');
    };
    expect(await read(bench, 5, 6)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
    bench.chain.faults = {};
    expect(await read(bench, 5, 6)).toEqual([[5, 5n, 15n, 7]]);
  });

  it.each([
    [
      'refused',
      SYNCING,
      (chain: FakeChain) =>
        (chain.faults.before = () => {
          throw new LogQueryRefused('range-too-large');
        }),
    ],
    [
      'answered not at all',
      ['ChainUnreadable', { chain: 'main', cause: 'transport' }],
      (chain: FakeChain) =>
        (chain.faults.before = () => {
          throw chainUnreadable('main', 'transport');
        }),
    ],
    [
      'answered twice over',
      ['ChainUnreadable', { chain: 'main', cause: 'contradiction' }],
      (chain: FakeChain) => (chain.faults.logs = (logs) => [...logs, ...logs]),
    ],
    [
      'answered with a fork',
      ['ChainUnreadable', { chain: 'main', cause: 'contradiction' }],
      (chain: FakeChain) => (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockHash: '0x' }))),
    ],
    [
      'answered with another machine',
      ['ChainUnreadable', { chain: 'main', cause: 'contradiction' }],
      (chain: FakeChain) => (chain.faults.logs = () => chain.logsAt(4)),
    ],
  ])('that is %s gives no row', async (_name, expected, lie) => {
    const bench = await openBench();
    lie(bench.chain);
    expect(await read(bench, 0, 6)).toEqual(expected);
  });

  it('is not made where the node shows another block than the indexed one', async () => {
    const bench = await openBench();
    const restarted = createBench({ chain: bench.chain, store: bench.store });
    bench.chain.rollBack(5);
    bench.chain.mine([submitted(A, { value: 10n }), submitted(A, { value: 11n })]);
    bench.chain.mineMany(5);
    expect(await read(restarted, 0, 2)).toEqual(['ChainUnreadable', { chain: 'main', cause: 'contradiction' }]);
    expect(bench.chain.requests).toEqual(['header']);
  });

  it('is not made over more blocks than a request may ask for', async () => {
    const bench = await openBench();
    const far = { ...bench.chain.head, number: 5_004 };
    expect(await read(bench, 0, 5, far)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 5_004 }]);
    expect(bench.chain.requests).toEqual(['header']);
  });
});
