import { describe, expect, it } from 'vitest';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import {
  A,
  HISTORY_OF_A,
  advance,
  createHistory,
  openHarness,
  seqsOf,
} from '../../../testing/fixtures/main-index-harness.ts';
import { buildBloom, ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { machine, type IndexerHarness } from '../../../testing/fixtures/indexer-harness.ts';
import { createBlockReader } from './block-reader.ts';

const FOREIGN = `0x${'cc'.repeat(20)}`;

function createTeller(): FakeChain {
  const chain = createHistory();
  chain.servesReceipts = true;
  return chain;
}

describe('windows of a node that serves receipts', () => {
  it('equal those of any other node', async () => {
    const range = { fromBlock: 1, toBlock: 9 };
    const crossChecked = await createBlockReader(createHistory(), 'proven').readWindow(range);
    const proven = await createBlockReader(createTeller(), 'proven').readWindow(range);
    expect(proven).toEqual(crossChecked);
  });

  /** Lists the blocks whose receipts are read in one step. */
  async function listRead(harness: IndexerHarness): Promise<number[]> {
    const requested: number[] = [];
    harness.chain.faults.before = (request, detail) => {
      if (request === 'receipts') requested.push(...detail);
    };
    expect(await advance(harness)).toBe('caught-up');
    return requested;
  }

  it('request no logs by range, and receipts of every block with a zero bloom', async () => {
    const harness = await openHarness({ chain: createTeller() });
    expect(await listRead(harness)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
    expect(harness.chain.requests).not.toContain('logs');
  });

  it('read no receipts of a block whose bloom excludes the contracts, once a bloom was seen to be real', async () => {
    const harness = await openHarness({ chain: createTeller() });
    await advance(harness);
    const { chain } = harness;
    for (let i = 0; i < 20; i++) chain.mine(i === 12 ? [submitted(A)] : [], [FOREIGN]);
    expect(await listRead(harness)).toEqual([8, 9, 22]);
    expect(chain.requests.filter((name) => name === 'block-logs')).toHaveLength(1);
  });

  it.each<[string, string, readonly string[]]>([
    ['zero', ZERO_BLOOM, ['caught-up']],
    // The first proven log that its bloom lacks shows that blooms are not real here.
    ['of other contracts', buildBloom([FOREIGN]), ['not-in-bloom', 'caught-up']],
  ])('find every log where all blooms are %s', async (_name, logsBloom, outcomes) => {
    const chain = createTeller();
    chain.faults.header = (header) => ({ ...header, logsBloom });
    const harness = await openHarness({ chain });
    for (const outcome of outcomes) expect(await advance(harness)).toBe(outcome);
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
  });

  it('read every block of a node whose own blooms were not seen to be real', async () => {
    const harness = await openHarness({ chain: createTeller() });
    const { chain } = harness;
    const mineWithLog = () => {
      for (let i = 0; i < 20; i++) chain.mine(i === 12 ? [submitted(A, { value: 9n })] : [], [FOREIGN]);
    };
    chain.faults.header = (header) => ({ ...header, node: 0 });
    await advance(harness);
    mineWithLog();
    expect(await listRead(harness)).toEqual([8, 9, 22]);
    const known = (await seqsOf(harness)).length;

    const synthetic = buildBloom([`0x${'dd'.repeat(20)}`]);
    chain.faults.header = (header) => ({ ...header, logsBloom: synthetic, node: 1 });
    mineWithLog();
    expect(await advance(harness)).toBe('not-in-bloom');
    expect(await advance(harness)).toBe('caught-up');
    expect(await seqsOf(harness)).toHaveLength(known + 1);

    // What node 1 serves says nothing about node 0.
    chain.faults.header = (header) => ({ ...header, node: 0 });
    mineWithLog();
    expect(await listRead(harness)).toEqual([62]);
  });

  it('are refused where receipts that do not match are not accepted', async () => {
    const chain = createTeller();
    chain.faults.receipts = () => 'unproven';
    const reader = createBlockReader(chain, 'proven', true);
    await expect(reader.readWindow({ fromBlock: 1, toBlock: 9 })).rejects.toThrow('unproven-receipts');
  });

  it('are read as from any other node when the receipts do not match the headers', async () => {
    const harness = await openHarness({ chain: createTeller(), proof: 'background' });
    harness.chain.faults.receipts = () => 'unproven';
    expect(await advance(harness)).toBe('caught-up');
    expect(await seqsOf(harness)).toEqual(HISTORY_OF_A);
    expect(harness.chain.requests).toContain('logs');
  });

  it('are not used in trusted mode', async () => {
    const chain = createTeller();
    await createBlockReader(chain, 'trusted').readWindow({ fromBlock: 1, toBlock: 9 });
    expect(chain.requests).not.toContain('receipts');
  });

  it.each([
    ['a header of another height', (number: number) => ({ number: number + 1 }), 'missing-header'],
    ['a header of another chain', () => ({ parentHash: '0x00' }), 'broken-link'],
  ])('are rejected for %s', async (_name, change, problem) => {
    const chain = createTeller();
    chain.faults.header = (header) => (header.number === 5 ? { ...header, ...change(header.number) } : header);
    expect(await advance(await openHarness({ chain }))).toBe(problem);
  });
});

it('reads the chain for a window while the previous one is stored', async () => {
  const chain = new FakeChain();
  for (let i = 0; i < 40; i++) chain.mine([transferred(machine(1_000 + i)), submitted(A, { value: BigInt(i) })]);
  // Windows near the head are stored together.
  chain.mineMany(120);
  const { store } = await openHarness({ chain });
  let readings = 0;
  const readAtStores: number[] = [];
  const readOwnership = chain.readOwnership.bind(chain);
  chain.readOwnership = (block, ids) => {
    readings += 1;
    return readOwnership(block, ids);
  };
  const advanceMainChain: typeof store.advanceMainChain = async (...step) => {
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    readAtStores.push(readings);
    return store.advanceMainChain(...step);
  };
  const harness = await openHarness({ chain, store: { ...store, advanceMainChain }, maxWindowBlocks: 10 });
  expect(await advance(harness)).toBe('caught-up');
  expect(readAtStores.slice(0, 4)).toEqual([2, 3, 4, 5]);
  expect((await store.readEventLogCount('current', A)).count).toBe(40);
});
