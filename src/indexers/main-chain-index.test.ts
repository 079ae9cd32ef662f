import { describe, expect, it } from 'vitest';
import { createStore } from '../adapters/sql/create-store.ts';
import { chainUnreadable, Fault } from '../domain/faults.ts';
import { AnswerRejected } from '../domain/index-rules/rejected-answer.ts';
import { LogQueryRefused } from '../ports/main-chain-log.ts';
import type { Store } from '../ports/store.ts';
import { EVENTS, FakeChain, REGISTRY, imported, submitted, transferred } from './fake-chain.ts';
import { IndexRefused } from './index-standing.ts';
import { NEVER, createBench, machine, type Bench, type BenchOptions } from './test-bench.ts';

const A = machine(11);
const B = machine(12);

async function openBench(options: Partial<BenchOptions> = {}): Promise<Bench> {
  return createBench({ store: await createStore('sqlite::memory:'), ...options });
}

async function seqsOf({ store }: { readonly store: Store }, id = A): Promise<[number, number, bigint][]> {
  const rows = await store.listEventLogs('second', id, 0, 1_000);
  return rows.map(({ seq, blockNumber, value }) => [seq, blockNumber, value]);
}

async function advance({ index }: Bench): Promise<string> {
  try {
    return (await index.advance(NEVER)).kind;
  } catch (error) {
    if (error instanceof AnswerRejected) return error.problem;
    if (error instanceof IndexRefused) return error.refusal;
    if (error instanceof LogQueryRefused) return error.reason;
    if (error instanceof Fault) return error.kind;
    throw error;
  }
}

/** Blocks 1 to 9: events of A in 2, 4 (twice) and 7, of B in 5; the finalized block is 7. */
function createHistory(): FakeChain {
  const chain = new FakeChain();
  chain.mine();
  chain.mine([submitted(A, { value: 1_001n })]);
  chain.mine([transferred(A)]);
  chain.mine([submitted(A, { value: 1_002n }), submitted(A, { value: 1_003n })]);
  chain.mine([submitted(B), transferred(B)]);
  chain.mine();
  chain.mine([submitted(A, { value: 1_004n })]);
  chain.mine([submitted(A, { value: 1_005n })]);
  chain.mine();
  return chain;
}

const HISTORY_OF_A = [
  [0, 2, 1_001n],
  [1, 4, 1_002n],
  [2, 4, 1_003n],
  [3, 7, 1_004n],
];

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

describe('a node that refuses', () => {
  it('a range is asked for smaller ones, and for larger ones again later', async () => {
    const chain = new FakeChain();
    chain.mineMany(300);
    const sizes: number[] = [];
    chain.faults.before = (request, [from, to]) => {
      if (request !== 'logs') return;
      sizes.push(to! - from! + 1);
      if (to! < 200 && to! - from! >= 4) throw new LogQueryRefused('range-too-large');
    };
    const bench = await openBench({ chain, maxWindowBlocks: 32 });
    expect(await advance(bench)).toBe('caught-up');
    expect(sizes.slice(0, 1)).toEqual([32]);
    expect(Math.max(...sizes.slice(12))).toBeGreaterThan(4);
    expect(sizes).toContain(4);
  });

  it('every range fails the step after four halvings; the next goes on from there', async () => {
    const chain = new FakeChain();
    chain.mineMany(700);
    const sizes = new Set<number>();
    chain.faults.before = (request, [from, to]) => {
      if (request !== 'logs') return;
      sizes.add(to! - from! + 1);
      throw new LogQueryRefused('range-too-large');
    };
    const bench = await openBench({ chain, maxWindowBlocks: 160 });
    expect(await advance(bench)).toBe('range-too-large');
    expect([...sizes]).toEqual([160, 80, 40, 20, 10]);
    expect(await advance(bench)).toBe('range-too-large');
    expect([...sizes].slice(5)).toEqual([5, 2, 1]);
  });

  it('the rate is never asked for smaller ranges', async () => {
    const chain = new FakeChain();
    chain.mineMany(100);
    const sizes = new Set<number>();
    let refusals = 3;
    chain.faults.before = (request, [from, to]) => {
      if (request !== 'logs') return;
      sizes.add(to! - from! + 1);
      if (refusals-- > 0) throw new LogQueryRefused('rate-limited', 9);
    };
    const bench = await openBench({ chain, maxWindowBlocks: 33 });
    expect(await advance(bench)).toBe('rate-limited');
    expect(await advance(bench)).toBe('caught-up');
    expect([...sizes]).toEqual([33]);
  });

  it('leaves what was stored before, and no request behind', async () => {
    const chain = new FakeChain();
    chain.mineMany(100);
    let windows = 0;
    chain.faults.before = (request) => {
      if (request === 'logs' && ++windows > 5) throw chainUnreadable('main', 'transport');
    };
    const bench = await openBench({ chain, maxWindowBlocks: 10 });
    expect(await advance(bench)).toBe('ChainUnreadable');
    expect((await bench.store.readMainChainCheckpoint())!.blockNumber).toBe(49);
    const requests = chain.requests.length;
    await bench.time.advance(1_000);
    expect(chain.requests).toHaveLength(requests);
  });
});

describe('a node that lies', () => {
  const lies: [string, (chain: FakeChain) => void, string][] = [
    ['hides all logs', (chain) => (chain.faults.logs = () => []), 'withheld-logs'],
    ['hides the last log', (chain) => (chain.faults.logs = (logs) => logs.slice(0, -1)), 'withheld-logs'],
    [
      'hides one of two logs of a contract in a block',
      (chain) => (chain.faults.logs = (logs) => logs.filter((log) => log !== chain.logsAt(4)[1])),
      'withheld-logs',
    ],
    ['tells a log twice', (chain) => (chain.faults.logs = (logs) => [logs[0]!, ...logs]), 'out-of-order'],
    ['tells logs in another order', (chain) => (chain.faults.logs = (logs) => logs.toReversed()), 'out-of-order'],
    [
      'tells logs of other blocks',
      (chain) => (chain.faults.logs = (logs) => [...logs, { ...logs.at(-1)!, blockNumber: 8 }]),
      'out-of-range',
    ],
    [
      'tells logs of other contracts',
      (chain) =>
        (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, address: `0x${'99'.repeat(20)}` }) as never)),
      'foreign-address',
    ],
    [
      'tells logs of a fork',
      (chain) => (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockHash: '0xfork' }))),
      'hash-mismatch',
    ],
    [
      'tells another block time',
      (chain) => (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockTimestamp: 1 }))),
      'time-mismatch',
    ],
    [
      'invents a log',
      (chain) =>
        (chain.faults.logs = (logs) => {
          const header = chain.headerAt(6);
          const { number: blockNumber, hash: blockHash, timestamp: blockTimestamp } = header;
          const invented = { ...logs[0]!, blockNumber, blockHash, blockTimestamp };
          return logs.flatMap((log) => (log.blockNumber === 7 ? [invented, log] : [log]));
        }),
      'withheld-logs',
    ],
    [
      'tells headers of another chain',
      (chain) =>
        (chain.faults.header = (header) => (header.number === 3 ? { ...header, parentHash: '0xother' } : header)),
      'broken-link',
    ],
    [
      'tells nothing by block either',
      (chain) => {
        chain.faults.logs = () => [];
        chain.faults.blockLogs = () => [];
      },
      'withheld-logs',
    ],
  ];

  it.each(lies)('%s is not believed, and later asked again', async (_name, lie, problem) => {
    const bench = await openBench({ chain: createHistory() });
    lie(bench.chain);
    expect(await advance(bench)).toBe(problem);
    expect(await bench.store.readMainChainCheckpoint()).toBeUndefined();
    bench.chain.faults = {};
    expect(await advance(bench)).toBe('caught-up');
    expect(await seqsOf(bench)).toEqual(HISTORY_OF_A);
  });

  it('is caught where one answer meets the next', async () => {
    const chain = new FakeChain();
    chain.mineMany(600);
    chain.faults.header = (header) => (header.number === 500 ? { ...header, parentHash: '0xother' } : header);
    expect(await advance(await openBench({ chain }))).toBe('broken-link');
  });

  it('about the finalized block is caught', async () => {
    const chain = createHistory();
    const bench = await openBench({ chain });
    const readHeader = chain.readHeader.bind(chain);
    chain.readHeader = async (block) => {
      const header = await readHeader(block);
      return block === 'finalized' ? { ...header, hash: '0xother' } : header;
    };
    expect(await advance(bench)).toBe('hash-mismatch');
    expect(await bench.store.readMainChainCheckpoint()).toBeUndefined();
  });

  it('by leaving blocks out is caught', async () => {
    const chain = createHistory();
    chain.readBlockLogs = () => Promise.resolve([]);
    expect(await advance(await openBench({ chain }))).toBe('withheld-logs');
  });

  it('is told from a bloom that names our contracts by chance', async () => {
    const chain = createHistory();
    chain.mine([], [EVENTS, REGISTRY]);
    chain.mineMany(3);
    const bench = await openBench({ chain });
    expect(await advance(bench)).toBe('caught-up');
    expect((await bench.store.readMainChainCheckpoint())!.blockNumber).toBe(11);
  });

  it('is believed where the operator wants it so, for the price of fewer headers', async () => {
    const chain = createHistory();
    const asked: number[] = [];
    chain.faults.before = (request, numbers) => {
      if (request === 'headers') asked.push(...numbers);
    };
    chain.faults.header = (header) => ({ ...header, logsBloom: `0x${'0'.repeat(512)}` });
    const bench = await openBench({ chain, completeness: 'believed' });
    expect(await advance(bench)).toBe('caught-up');
    expect(asked).toEqual([0, 2, 3, 4, 5, 7]);
    expect(chain.requests).not.toContain('block-logs');
    expect(await seqsOf(bench)).toEqual(HISTORY_OF_A);
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
