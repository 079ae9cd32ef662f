import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { EVENTS, REGISTRY } from '../../../testing/fakes/fake-logs.ts';
import {
  HISTORY_OF_A,
  advance,
  createHistory,
  openHarness,
  seqsOf,
} from '../../../testing/fixtures/main-index-harness.ts';

describe('a node that refuses requests', () => {
  it('receives smaller ranges after a refusal, and larger ones again later', async () => {
    const chain = new FakeChain();
    chain.mineMany(2_300);
    const sizes: number[] = [];
    chain.faults.before = (request, [from, to]) => {
      if (request !== 'logs') return;
      sizes.push(to! - from! + 1);
      if (to! < 200 && to! - from! >= 4) throw new LogQueryRefused('range-too-large');
    };
    const harness = await openHarness({ chain, maxWindowBlocks: 32 });
    expect(await advance(harness)).toBe('caught-up');
    expect(sizes.slice(0, 1)).toEqual([32]);
    expect(sizes).toContain(4);
    expect(Math.max(...sizes.slice(12, 500))).toBe(4);
    expect(Math.max(...sizes.slice(500))).toBe(32);
  });

  it('fails the step after four halvings, and the next step continues down to a single block', async () => {
    const chain = new FakeChain();
    chain.mineMany(700);
    const sizes = new Set<number>();
    chain.faults.before = (request, [from, to]) => {
      if (request !== 'logs') return;
      sizes.add(to! - from! + 1);
      throw new LogQueryRefused('range-too-large');
    };
    const harness = await openHarness({ chain, maxWindowBlocks: 160 });
    expect(await advance(harness)).toBe('range-too-large');
    expect([...sizes]).toEqual([160, 80, 40, 20, 10]);
    expect(await advance(harness)).toBe('logs-refused');
    expect([...sizes].slice(5)).toEqual([5, 2, 1]);
  });

  it('receives ranges of the same size after a rate limit', async () => {
    const chain = new FakeChain();
    chain.mineMany(100);
    const sizes = new Set<number>();
    let refusals = 1;
    chain.faults.before = (request, [from, to]) => {
      if (request !== 'logs') return;
      sizes.add(to! - from! + 1);
      if (refusals-- > 0) throw new LogQueryRefused('rate-limited', 9);
    };
    const harness = await openHarness({ chain, maxWindowBlocks: 33 });
    expect(await advance(harness)).toBe('rate-limited');
    expect(await advance(harness)).toBe('caught-up');
    expect([...sizes]).toEqual([33]);
  });

  it('leaves stored rows unchanged and no request in flight', async () => {
    const chain = new FakeChain();
    chain.mineMany(200);
    let windows = 0;
    chain.faults.before = (request) => {
      if (request === 'logs' && ++windows > 5) throw chainUnreadable('main', 'transport');
    };
    const harness = await openHarness({ chain, maxWindowBlocks: 10 });
    expect(await advance(harness)).toBe('ChainUnreadable');
    expect((await harness.store.readMainChainCheckpoint())!.blockNumber).toBe(49);
    const requests = chain.requests.length;
    await harness.time.advance(1_000);
    expect(chain.requests).toHaveLength(requests);
  });
});

describe('a node that returns false data', () => {
  const falsehoods: [string, (chain: FakeChain) => void, string][] = [
    ['hides all logs', (chain) => (chain.faults.logs = () => []), 'withheld-logs'],
    ['hides the last log', (chain) => (chain.faults.logs = (logs) => logs.slice(0, -1)), 'withheld-logs'],
    [
      'hides one of two logs of a contract in a block',
      (chain) => (chain.faults.logs = (logs) => logs.filter((log) => log !== chain.logsAt(4)[1])),
      'withheld-logs',
    ],
    ['returns a log twice', (chain) => (chain.faults.logs = (logs) => [logs[0]!, ...logs]), 'out-of-order'],
    ['returns logs in another order', (chain) => (chain.faults.logs = (logs) => logs.toReversed()), 'out-of-order'],
    [
      'returns logs of other blocks',
      (chain) => (chain.faults.logs = (logs) => [...logs, { ...logs.at(-1)!, blockNumber: 8 }]),
      'out-of-range',
    ],
    [
      'returns logs of other contracts',
      (chain) =>
        (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, address: `0x${'99'.repeat(20)}` }) as never)),
      'foreign-address',
    ],
    [
      'returns logs of a fork',
      (chain) => (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockHash: '0xfork' }))),
      'hash-mismatch',
    ],
    [
      'returns another block time',
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
      'returns headers of another chain',
      (chain) =>
        (chain.faults.header = (header) => (header.number === 3 ? { ...header, parentHash: '0xother' } : header)),
      'broken-link',
    ],
    [
      'returns no logs by block either',
      (chain) => {
        chain.faults.logs = () => [];
        chain.faults.blockLogs = () => [];
      },
      'withheld-logs',
    ],
  ];

  it.each(falsehoods)('is rejected when it %s, and queried again later', async (_name, falsify, problem) => {
    const harness = await openHarness({ chain: createHistory() });
    falsify(harness.chain);
    expect(await advance(harness)).toBe(problem);
    expect(await harness.store.readMainChainCheckpoint()).toBeUndefined();
    harness.chain.faults = {};
    expect(await advance(harness)).toBe('caught-up');
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
  });

  it('is detected where two responses meet', async () => {
    const chain = new FakeChain();
    chain.mineMany(600);
    chain.faults.header = (header) => (header.number === 500 ? { ...header, parentHash: '0xother' } : header);
    expect(await advance(await openHarness({ chain }))).toBe('broken-link');
  });

  it('is not the end of a stored window near the head while on another fork', async () => {
    const chain = new FakeChain();
    chain.mineMany(50);
    chain.faults.header = (header) => (header.number === 9 ? { ...header, hash: '0xother' } : header);
    const harness = await openHarness({ chain, maxWindowBlocks: 10 });
    expect(await advance(harness)).toBe('broken-link');
    expect(await harness.store.readMainChainCheckpoint()).toBeUndefined();
    chain.faults = {};
    expect(await advance(harness)).toBe('caught-up');
  });

  it.each(['before', 'background'] as const)(
    'does not make a checkpoint of two windows near the head that are of another fork (%s)',
    async (proof) => {
      const chain = new FakeChain();
      chain.mineMany(50);
      const toRival = (hash: string, isRival: boolean) => (isRival ? `${hash.slice(0, -2)}ff` : hash);
      chain.faults.header = (header) => ({
        ...header,
        hash: toRival(header.hash, header.number >= 5 && header.number <= 24),
        parentHash: toRival(header.parentHash, header.number >= 6 && header.number <= 24),
      });
      const harness = await openHarness({ chain, maxWindowBlocks: 10, proof });
      expect(await advance(harness)).not.toBe('caught-up');
      expect(await harness.store.readMainChainCheckpoint()).toBeUndefined();
      chain.faults = {};
      expect(await advance(harness)).toBe('caught-up');
      expect(harness.integrity.refusal()).toBeUndefined();
    },
  );

  it('loses no window near the head that was read before it failed', async () => {
    const chain = new FakeChain();
    chain.mineMany(50);
    const harness = await openHarness({ chain, maxWindowBlocks: 10, proof: 'before' });
    const readHeaders = chain.readHeaders.bind(chain);
    chain.readHeaders = (numbers) =>
      numbers.length > 2 && numbers.includes(35)
        ? Promise.reject(chainUnreadable('main', 'transport'))
        : readHeaders(numbers);
    expect(await advance(harness)).toBe('ChainUnreadable');
    expect(await harness.store.readMainChainCheckpoint()).toMatchObject({ blockNumber: 29 });
    chain.readHeaders = readHeaders;
    expect(await advance(harness)).toBe('caught-up');
  });

  it('is detected when it reports another finalized block', async () => {
    const chain = createHistory();
    const harness = await openHarness({ chain });
    const readHeader = chain.readHeader.bind(chain);
    chain.readHeader = async (block) => {
      const header = await readHeader(block);
      return block === 'finalized' ? { ...header, hash: '0xother' } : header;
    };
    expect(await advance(harness)).toBe('hash-mismatch');
    expect(await harness.store.readMainChainCheckpoint()).toBeUndefined();
  });

  it('is detected when it omits blocks', async () => {
    const chain = createHistory();
    chain.readBlockLogs = () => Promise.resolve([]);
    expect(await advance(await openHarness({ chain }))).toBe('withheld-logs');
  });

  it('has the contents stored that it returns by block, with which the bloom was compared', async () => {
    const chain = createHistory();
    chain.faults.logs = (logs) =>
      logs.map((log) => (log.event?.kind === 'submitted' ? { ...log, event: { ...log.event, value: 9n } } : log));
    const harness = await openHarness({ chain });
    expect(await advance(harness)).toBe('caught-up');
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
  });

  it('is distinguished from a bloom that names our contracts by chance', async () => {
    const chain = createHistory();
    chain.mine([], [EVENTS, REGISTRY]);
    chain.mineMany(3);
    const harness = await openHarness({ chain });
    expect(await advance(harness)).toBe('caught-up');
    expect((await harness.store.readMainChainCheckpoint())!.blockNumber).toBe(11);
  });

  it('is indexed whole on a chain of zero blooms without receipts', async () => {
    const chain = createHistory();
    chain.faults.header = (header) => ({ ...header, logsBloom: ZERO_BLOOM, receiptsRoot: undefined });
    chain.faults.logs = (logs) => logs.slice(0, -1);
    const harness = await openHarness({ chain, proof: 'background' });
    expect(await advance(harness)).toBe('withheld-logs');
    delete chain.faults.logs;
    expect(await advance(harness)).toBe('caught-up');
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
  });

  it('proves nothing where headers commit to nothing, so that a later proof reads the blocks again', async () => {
    const chain = createHistory();
    chain.faults.header = (header) => ({ ...header, logsBloom: ZERO_BLOOM, receiptsRoot: undefined });
    const harness = await openHarness({ chain, proof: 'background' });
    expect(await advance(harness)).toBe('caught-up');
    expect(await harness.store.listProofSegments()).toEqual([]);
    expect(await harness.store.readUnprovenExtent()).toEqual({ blocks: 5, oldest: 2, newest: 7 });
  });

  it('is refused in mode before where no node serves receipts and headers commit to nothing', async () => {
    const chain = createHistory();
    chain.faults.header = (header) => ({ ...header, logsBloom: ZERO_BLOOM, receiptsRoot: undefined });
    const harness = await openHarness({ chain, proof: 'before' });
    expect(await advance(harness)).toBe('unproven-receipts');
    expect(await harness.store.readMainChainCheckpoint()).toBeUndefined();
  });

  it('is accepted in trusted mode, which reads fewer headers', async () => {
    const chain = createHistory();
    const requested: number[] = [];
    chain.faults.before = (request, numbers) => {
      if (request === 'headers') requested.push(...numbers);
    };
    chain.faults.header = (header) => ({ ...header, logsBloom: `0x${'0'.repeat(512)}` });
    const harness = await openHarness({ chain, completeness: 'trusted' });
    expect(await advance(harness)).toBe('caught-up');
    expect(requested).toEqual([0, 2, 3, 4, 5, 7]);
    expect(chain.requests).not.toContain('block-logs');
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
  });
});
