import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { EVENTS, REGISTRY } from '../../../testing/fakes/fake-logs.ts';
import {
  HISTORY_OF_A,
  advance,
  createHistory,
  openBench,
  seqsOf,
} from '../../../testing/fixtures/main-index-harness.ts';

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
