/** Tests the backfill from logs (design/real-chains.md 1): what it reads, when it serves, and how it resumes. */
import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused, type ChainLog } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { controlled, minted, submitted, transferred, type FakeLog } from '../../../testing/fakes/fake-logs.ts';
import { replaceEventLogs } from '../../../testing/fixtures/replace-logs.ts';
import { machine, NEVER, type HarnessOptions, type IndexerHarness } from '../../../testing/fixtures/indexer-harness.ts';
import { A, B, advance, openHarness, seqsOf } from '../../../testing/fixtures/main-index-harness.ts';

const OWNER = `0x${'0b'.repeat(20)}` as Address;

/** Mines blocks of which every tenth has an event of A and every fiftieth a transfer of B. */
function createLongChain(blocks = 1_000): FakeChain {
  const chain = new FakeChain();
  for (let i = 1; i <= blocks; i++) {
    const event = i % 10 === 0 ? [submitted(A, { value: BigInt(i) })] : [];
    chain.mine(i % 50 === 0 ? [...event, transferred(B)] : event);
  }
  return chain;
}

const openBackfill = (options: Partial<HarnessOptions> = {}) =>
  openHarness({ proof: 'background', chain: createLongChain(), ...options });

/** Answers logs without block times, as some nodes do. */
function withoutTimes(chain: FakeChain): FakeChain {
  chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockTimestamp: undefined }));
  return chain;
}

describe('a backfill from logs', () => {
  it('reads logs and owners, and one batch of headers besides the newest and the finalized one', async () => {
    const { chain, ...harness } = await openBackfill();
    expect(await advance({ chain, ...harness })).toBe('caught-up');
    const counts = Object.fromEntries(
      [...Map.groupBy(chain.requests, (name) => name)].map(([name, each]) => [name, each.length]),
    );
    expect(counts).toEqual({ header: 2, headers: 1, logs: 2, ownership: 1 });
    expect((await harness.store.readEventLogCount('current', A)).count).toBe(99);
    const [first] = await harness.store.listEventLogs('current', A, 0, 1);
    expect(first).toMatchObject({ blockNumber: 10, blockTimestamp: chain.headerAt(10).timestamp });
  });

  it('reads every machine once, at the checkpoint, before listings are complete', async () => {
    const harness = await openBackfill();
    const { chain, store } = harness;
    const reads: [number, readonly bigint[]][] = [];
    const readOwnership = chain.readOwnership.bind(chain);
    chain.readOwnership = async (block, ids) => {
      expect((await store.listOwnership(OWNER, 0, 10)).indexedBlock).toBeUndefined();
      reads.push([block.number, ids]);
      return readOwnership(block, ids);
    };
    expect(await advance(harness)).toBe('caught-up');
    expect(reads).toEqual([[998, [B]]]);
    expect(await store.listOwnership(OWNER, 0, 10)).toMatchObject({ indexedBlock: 998, total: 1, ids: [B] });
  });

  it('resumes the reads of owners in a new process', async () => {
    const first = await openBackfill();
    const { chain, store } = first;
    chain.faults.before = (request) => {
      if (request === 'ownership') throw chainUnreadable('main', 'transport');
    };
    expect(await advance(first)).toBe('ChainUnreadable');
    expect((await store.readMainChainCheckpoint())!.blockNumber).toBe(998);
    expect((await store.listOwnership(OWNER, 0, 10)).indexedBlock).toBeUndefined();
    chain.faults = {};
    const second = await openBackfill({ chain, store });
    expect(await advance(second)).toBe('caught-up');
    expect(await store.listOwnership(OWNER, 0, 10)).toMatchObject({ indexedBlock: 998, total: 1, ids: [B] });
  });

  it('looks up times that no log reports, newest first, and lists no log without one', async () => {
    const chain = withoutTimes(createLongChain(20_000));
    const harness = await openBackfill({ chain });
    const requests: (readonly number[])[] = [];
    chain.faults.before = (request, numbers) => {
      if (request !== 'headers') return;
      if (requests.length === 2) throw chainUnreadable('main', 'transport');
      requests.push(numbers);
    };
    expect(await advance(harness)).toBe('ChainUnreadable');
    // The blocks near the finalized one were read with the logs.
    expect(requests[0]!.slice(-2)).toEqual([19_990, 19_998]);
    expect(requests[1]!.slice(0, 2)).toEqual([19_890, 19_880]);
    const newest = await harness.store.listEventLogs('current', A, 1_988, 1_990);
    expect(newest.map(({ blockTimestamp }) => blockTimestamp)).toEqual(
      [19_890, 19_900].map((number) => chain.headerAt(number).timestamp),
    );
    expect(await harness.store.listEventLogs('current', A, 0, 10)).toEqual([]);

    delete chain.faults.before;
    expect(await advance(await openBackfill({ chain, store: harness.store }))).toBe('caught-up');
    expect(await harness.store.listEventLogs('current', A, 0, 3_000)).toHaveLength(1_999);
  });

  it('reads few headers at once where each takes long, so that times are stored meanwhile', async () => {
    const chain = withoutTimes(createLongChain(6_000));
    const harness = await openBackfill({ chain });
    const reads: number[] = [];
    const readHeaders = chain.readHeaders.bind(chain);
    chain.readHeaders = async (numbers) => {
      reads.push(numbers.length);
      await harness.time.advance(numbers.length * 40);
      return readHeaders(numbers);
    };
    expect(await advance(harness)).toBe('behind');
    // The first read confirms what was stored, with the ten newest blocks.
    expect(reads).toEqual([11, 25, ...Array.from({ length: 10 }, () => 50)]);
    expect(await harness.store.listUntimedBlocks(Infinity, 1)).toMatchObject([{ blockNumber: 5_990 - 5_350 }]);
  });

  it('gives no time to a block that is not the one of its logs', async () => {
    const chain = withoutTimes(createLongChain());
    const { logs } = chain.faults;
    chain.faults.logs = (found, request) =>
      logs!(found, request).map((log) =>
        log.blockNumber === 10 ? { ...log, blockHash: `0x${'f0'.repeat(32)}` } : log,
      );
    const harness = await openBackfill({ chain });
    expect(await advance(harness)).toBe('caught-up');
    expect(await harness.store.listUntimedBlocks(Infinity, 10)).toMatchObject([{ blockNumber: 10 }]);
    expect(await harness.store.listEventLogs('current', A, 0, 1)).toEqual([]);
    expect(await harness.store.listEventLogs('current', A, 1, 2)).toHaveLength(1);
  });

  it('replaces the logs of such a block once the node returns those of the block, without a proof', async () => {
    const chain = withoutTimes(createLongChain());
    const { logs } = chain.faults;
    chain.faults.logs = (found, request) =>
      logs!(found, request).map((log) =>
        log.blockNumber === 50 ? { ...log, blockHash: `0x${'f0'.repeat(32)}` } : log,
      );
    const harness = await openBackfill({ chain, proof: 'off', completeness: 'trusted' });
    expect(await advance(harness)).toBe('caught-up');
    const { store } = harness;
    expect(await store.listUntimedBlocks(Infinity, 10)).toMatchObject([{ blockNumber: 50 }]);
    chain.faults.logs = logs!;
    expect(await advance(harness)).toBe('caught-up');
    expect(await store.listUntimedBlocks(Infinity, 10)).toEqual([]);
    const { hash, timestamp } = chain.headerAt(50);
    expect(await store.listLogBlocks(50, 50)).toMatchObject([{ blockHash: hash, isProven: false }]);
    expect(await store.listEventLogs('current', A, 4, 5)).toMatchObject([{ value: 50n, blockTimestamp: timestamp }]);
    expect((await store.readEventLogCount('current', A)).count).toBe(99);
  });

  it('reads no logs of a proven block in which a repair changed those of one machine', async () => {
    const chain = new FakeChain();
    const { number } = chain.mine([submitted(A, { value: 1n }), submitted(B, { value: 2n })]);
    chain.mineMany(chain.finalityLag);
    const harness = await openBackfill({ chain, proof: 'off' });
    expect(await advance(harness)).toBe('caught-up');
    const { store } = harness;
    const checkpoint = (await store.readMainChainCheckpoint())!;
    await replaceEventLogs(store, checkpoint, 'current', A, []);
    chain.requests.length = 0;
    chain.faults.logs = () => [];
    expect(await advance(harness)).toBe('caught-up');
    expect(chain.requests).not.toContain('logs');
    expect(await seqsOf(harness, B)).toEqual([[0, number, 2n]]);
    expect(await harness.status.readMainChainIndex()).toMatchObject({ proof: { isBackfilled: true } });
  });

  it('stores what was read before a failure', async () => {
    const chain = createLongChain();
    chain.faults.before = (request, [from]) => {
      if (request === 'logs' && from! >= 600) throw chainUnreadable('main', 'transport');
    };
    const harness = await openBackfill({ chain, maxWindowBlocks: 100 });
    expect(await advance(harness)).toBe('ChainUnreadable');
    expect((await harness.store.readMainChainCheckpoint())!.blockNumber).toBe(599);
    chain.faults = {};
    expect(await advance(await openBackfill({ chain, store: harness.store }))).toBe('caught-up');
    expect((await seqsOf(harness)).map(([, block]) => block)).toEqual(
      Array.from({ length: 99 }, (_, i) => 10 * i + 10),
    );
  });

  it('bounds what one transaction stores and a crash loses', async () => {
    const chain = createLongChain();
    const harness = await openBackfill({ chain, maxWindowBlocks: 100 });
    chain.faults.before = (request) => {
      if (request === 'logs') harness.time.jump(1_000);
    };
    const stored: number[] = [];
    const advanceMainChain = harness.store.advanceMainChain.bind(harness.store);
    harness.store.advanceMainChain = (expected, next, ...rest) => {
      stored.push(next.blockNumber);
      return advanceMainChain(expected, next, ...rest);
    };
    while ((await advance(harness)) === 'behind');
    expect(stored.length).toBeGreaterThan(1);
    expect(stored.at(-1)).toBe(998);
  });

  it.each(['background', 'before'] as const)(
    'reads no window twice when steps end in between, mode %s',
    async (proof) => {
      const harness = await openBackfill({ chain: createLongChain(3_000), maxWindowBlocks: 20, proof });
      const ranges: string[] = [];
      harness.chain.faults.before = (request, [from, to]) => {
        if (request !== 'logs') return;
        harness.time.jump(500);
        ranges.push(`${from} ${to}`);
      };
      let steps = 1;
      while ((await advance(harness)) === 'behind') steps += 1;
      expect(steps).toBeGreaterThan(2);
      expect(ranges).toHaveLength(150);
      expect(new Set(ranges).size).toBe(150);
    },
  );

  it('asks for smaller ranges where the node refuses wide ones', async () => {
    const chain = createLongChain(5_000);
    const refused: number[] = [];
    chain.faults.before = (request, [from, to]) => {
      if (request !== 'logs' || to! - from! < 700) return;
      refused.push(to! - from! + 1);
      throw new LogQueryRefused('range-too-large');
    };
    expect(await advance(await openBackfill({ chain }))).toBe('caught-up');
    expect(refused.length).toBeLessThan(10);
    expect(chain.requests.filter((name) => name === 'logs').length - refused.length).toBeLessThan(16);
  });

  it.each([
    ['reads the receipts of a block with more logs than the node returns', 1_200, 'caught-up'],
    ['reads no receipts where the node refuses a block with few logs', 100, 'logs-refused'],
  ])('%s', async (_name, logs, outcome) => {
    const chain = createLongChain(100);
    chain.mine(Array.from({ length: logs }, (_, i) => submitted(A, { value: BigInt(i) })));
    chain.mineMany(300);
    chain.servesReceipts = true;
    chain.faults.before = (request, [from, to]) => {
      if (request === 'logs' && from! <= 101 && to! >= 101) throw new LogQueryRefused('range-too-large');
    };
    const harness = await openBackfill({ chain });
    let step: string;
    do step = await advance(harness);
    while (step === 'range-too-large' || step === 'behind');
    expect(step).toBe(outcome);
    const { count } = await harness.store.readEventLogCount('current', A);
    expect(count).toBe(outcome === 'caught-up' ? 10 + logs : 10);
  });

  it('refuses a checkpoint that is not on the chain any more', async () => {
    const harness = await openBackfill();
    await advance(harness);
    harness.chain.rollBack(100);
    harness.chain.mineMany(400);
    expect(await advance(harness)).toBe('checkpoint-not-on-chain');
  });

  const contradictions: [string, (logs: ChainLog[]) => ChainLog[], string][] = [
    [
      'two hashes for one block',
      (logs) => logs.map((log, i) => (i === 5 ? { ...log, blockHash: `0x${'f0'.repeat(32)}` } : log)),
      'hash-mismatch',
    ],
    [
      'two times for one block',
      (logs) => logs.map((log, i) => (i === 5 ? { ...log, blockTimestamp: 1 } : log)),
      'time-mismatch',
    ],
    ['logs out of order', (logs) => logs.toReversed(), 'out-of-order'],
    ['logs of another contract', (logs) => logs.map((log) => ({ ...log, address: OWNER })), 'foreign-address'],
  ];

  // The fifth and the sixth log are of block 50.
  it.each(contradictions)('rejects %s', async (_name, alter, problem) => {
    const chain = createLongChain();
    chain.faults.logs = (logs) => alter([...logs]);
    expect(await advance(await openBackfill({ chain }))).toBe(problem);
  });

  it('rejects logs of the last block that are of another block than the checkpoint', async () => {
    const chain = new FakeChain();
    chain.mineMany(199);
    chain.mine([submitted(A)]);
    chain.mineMany(2);
    chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockHash: `0x${'f0'.repeat(32)}` }));
    expect(await advance(await openBackfill({ chain }))).toBe('hash-mismatch');
  });

  it('proves blocks near the head before it stores them', async () => {
    const harness = await openBackfill();
    const { chain, store } = harness;
    await advance(harness);
    const unproven = await store.readUnprovenExtent();
    expect(unproven).toEqual({ blocks: 99, oldest: 10, newest: 990 });
    chain.mine([submitted(A)]);
    chain.mineMany(3);
    expect(await advance(harness)).toBe('caught-up');
    expect(await store.readUnprovenExtent()).toEqual(unproven);
    expect(await store.listProofSegments()).toEqual([{ fromBlock: 999, toBlock: 1_002, kind: 'headers' }]);
  });

  it('proves nothing in mode off', async () => {
    const harness = await openBackfill({ proof: 'off', completeness: 'trusted' });
    const { chain, index, store } = harness;
    expect(await index.advance(NEVER)).toMatchObject({ kind: 'caught-up' });
    for (const logs of [[], [submitted(A)]]) {
      chain.mineMany(2);
      chain.mine(logs);
      expect(await index.advance(NEVER)).toMatchObject({ kind: 'caught-up' });
    }
    expect(chain.requests).not.toContain('receipts');
    expect(await store.listProofSegments()).toEqual([]);
  });
});

describe('a range that is read from logs alone after the first backfill', () => {
  const [SELLER, BUYER] = ['aa', 'bb'].map((byte) => `0x${byte.repeat(20)}` as Address) as [Address, Address];
  const [BEFORE, AFTER] = ['c1', 'c2'].map((byte) => `0x${byte.repeat(20)}` as Address) as [Address, Address];
  /** A is controlled, B and C are held by two owners. */
  const C = machine(13);
  const FIRST = [
    ...[transferred(A), minted(A, BEFORE)],
    ...[transferred(B), minted(B, undefined), transferred(B, OWNER, SELLER)],
    ...[transferred(C), minted(C, undefined)],
  ];
  const HIDDEN: [name: string, logs: FakeLog[], holder: Address, ids: readonly bigint[]][] = [
    ['a new controller', [controlled(A, BEFORE, AFTER)], AFTER, [A]],
    [
      'one machine sold and another bought',
      [transferred(B, SELLER, BUYER), transferred(C, OWNER, SELLER)],
      SELLER,
      [C],
    ],
  ];

  /** Indexes an honest history; then a node hides the logs of a range in which the service was down. */
  async function openAfterDowntime(hidden: readonly FakeLog[], options: Partial<HarnessOptions> = {}) {
    const chain = new FakeChain();
    chain.mine(FIRST);
    chain.mineMany(200);
    const harness = await openBackfill({ chain, ...options });
    expect(await advance(harness)).toBe('caught-up');
    expect(await readAgain(harness)).toBe('idle');
    const { number } = chain.mine(hidden);
    chain.mineMany(200);
    chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => blockNumber !== number);
    expect(await advance(harness)).toBe('caught-up');
    chain.faults = {};
    chain.requests.length = 0;
    return harness;
  }

  const readAgain = async ({ index, reread }: IndexerHarness) => {
    const advanced = await index.advance(NEVER);
    return advanced.kind === 'caught-up' ? reread.readNext(advanced.block) : advanced.kind;
  };
  const listIds = async ({ store }: IndexerHarness, holder: Address) => (await store.listOwnership(holder, 0, 9)).ids;

  describe.each([
    ['background', 'proven'],
    ['off', 'trusted'],
  ] as const)('in mode %s', (proof, completeness) => {
    it.each(HIDDEN)('lists %s whose logs a node hid', async (_name, logs, holder, ids) => {
      const harness = await openAfterDowntime(logs, { proof, completeness });
      expect(await listIds(harness, holder)).not.toEqual(ids);
      expect(await readAgain(harness)).toBe('idle');
      expect(await listIds(harness, holder)).toEqual(ids);
      expect(harness.chain.requests.filter((name) => name === 'ownership')).toHaveLength(1);
    });
  });

  it('needs no second read in mode before', async () => {
    const harness = await openHarness({ chain: new FakeChain() });
    const { chain } = harness;
    for (const logs of [FIRST, HIDDEN[0]![1]]) {
      chain.mine(logs);
      chain.mineMany(200);
      await advance(harness);
    }
    chain.requests.length = 0;
    expect(await readAgain(harness)).toBe('idle');
    expect(chain.requests).not.toContain('ownership');
    expect(await listIds(harness, AFTER)).toEqual([A]);
  });

  it('leaves listings served while its machines are read again, also by another process', async () => {
    const harness = await openAfterDowntime(HIDDEN[0]![1]);
    const { chain, store } = harness;
    chain.faults.before = (request) => {
      if (request === 'ownership') throw chainUnreadable('main', 'transport');
    };
    await expect(readAgain(harness)).rejects.toThrow();
    expect(await store.listOwnership(SELLER, 0, 9)).toMatchObject({ ids: [B], indexedBlock: chain.head.number - 2 });
    expect(await store.readIndexedMachine(B)).toMatchObject({ isSettled: true });
    chain.faults = {};
    const second = await openBackfill({ chain, store });
    expect(await readAgain(second)).toBe('idle');
    expect(await listIds(second, AFTER)).toEqual([A]);
  });

  it('reads a large fleet again in parts, each at the checkpoint of its step', async () => {
    const chain = new FakeChain();
    chain.mine(Array.from({ length: 5_000 }, (_, i) => transferred(machine(i + 1))));
    chain.mineMany(200);
    const harness = await openBackfill({ chain });
    const reads: [number, number][] = [];
    chain.readOwnership = async ({ number }, ids) => {
      reads.push([chain.head.number - number, ids.length]);
      await harness.time.advance(2 * ids.length);
      return ids.map((id) => ({ kind: 'held', id, owner: OWNER, controller: undefined }));
    };
    while ((await advance(harness)) === 'behind');
    chain.mineMany(200);
    expect(await advance(harness)).toBe('caught-up');
    reads.length = 0;
    while ((await readAgain(harness)) === 'more') chain.mine();
    // Two seconds each, once the first has shown the pace.
    expect(reads).toEqual([2_000, 1_000, 1_000, 1_000].map((count) => [2, count]));
  });
});
