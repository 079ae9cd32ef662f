/** Tests that a backfill from a pool with one node on another fork keeps nothing of that fork (chain-evm 4.5). */
import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import type { HarnessOptions } from '../../../testing/fixtures/indexer-harness.ts';
import { A, advance, openHarness, seqsOf } from '../../../testing/fixtures/main-index-harness.ts';

const HEIGHT = 1_000;
const FINALIZED = 998;
/** First block that the rival fork has of its own. */
const FORKED = 550;

/** Adds blocks up to the height; every tenth has an event of A, whose value is that of the block plus `shift`. */
function mineTo(chain: FakeChain, height: number, shift = 0): FakeChain {
  for (let i = chain.head.number + 1; i <= height; i++)
    chain.mine(i % 10 === 0 ? [submitted(A, { value: BigInt(i + shift) })] : []);
  return chain;
}

const ROWS = Array.from({ length: 99 }, (_, i) => [i, 10 * (i + 1), BigInt(10 * (i + 1))]);

/** Opens a backfill and returns the chain of a second node, which left the canonical one before `from`. */
async function openPool(from = FORKED, options: Partial<HarnessOptions> = {}) {
  const chain = mineTo(new FakeChain(), HEIGHT);
  const rival = mineTo(chain.fork(HEIGHT - from + 1), HEIGHT, 5);
  const harness = await openHarness({ proof: 'background', chain, maxWindowBlocks: 100, ...options });
  return { ...harness, rival };
}

type Pool = Awaited<ReturnType<typeof openPool>>;

/** Lets the second node answer requests for headers that contain this block, or for this tag. */
function answerHeaders({ chain, rival }: Pool, wanted: number | 'finalized'): void {
  const [readHeader, readHeaders] = [chain.readHeader.bind(chain), chain.readHeaders.bind(chain)];
  chain.readHeader = (block) => (block === wanted ? rival.readHeader(block) : readHeader(block));
  chain.readHeaders = (numbers) =>
    numbers.some((number) => number === wanted) ? rival.readHeaders(numbers) : readHeaders(numbers);
}

/** Lets the second node answer queries for logs of this block, and for blocks that only it has. */
function answerLogs({ chain, rival }: Pool, block: number): void {
  const [readLogs, readBlockLogs] = [chain.readLogs.bind(chain), chain.readBlockLogs.bind(chain)];
  chain.readLogs = (query) =>
    query.fromBlock <= block && block <= query.toBlock ? rival.readLogs(query) : readLogs(query);
  chain.readBlockLogs = (blocks) =>
    blocks.some(({ number, hash }) => rival.headerAt(number).hash === hash && chain.headerAt(number).hash !== hash)
      ? rival.readBlockLogs(blocks)
      : readBlockLogs(blocks);
}

/** Ends the pool's disagreement; the next process has the database of this one. */
async function reopen({ chain, store }: Pool, options: Partial<HarnessOptions> = {}) {
  for (const method of ['readHeader', 'readHeaders', 'readLogs', 'readBlockLogs'] as const)
    Reflect.deleteProperty(chain, method);
  chain.faults = {};
  return openHarness({ proof: 'background', chain, store, maxWindowBlocks: 100, ...options });
}

describe('a node on another fork', () => {
  it.each(['background', 'off', 'before'] as const)(
    'does not give an interrupted backfill its checkpoint, mode %s',
    async (proof) => {
      const pool = await openPool(FORKED, { proof });
      answerHeaders(pool, 599);
      if (proof === 'before') answerLogs(pool, 599);
      pool.chain.faults.before = (_request, [from]) => {
        if (from! >= 600) throw chainUnreadable('main', 'transport');
      };
      expect(await advance(pool)).toBe('hash-mismatch');
      expect(await pool.store.readMainChainCheckpoint()).not.toMatchObject({
        blockHash: pool.rival.headerAt(599).hash,
      });
      expect(await advance(await reopen(pool, { proof }))).toBe('caught-up');
      expect(await seqsOf(pool)).toEqual(ROWS);
    },
  );

  it('does not give a backfill its finalized block', async () => {
    const pool = await openPool();
    answerHeaders(pool, 'finalized');
    expect(await advance(pool)).toBe('hash-mismatch');
    expect(await pool.store.readMainChainCheckpoint()).toBeUndefined();
    expect(await advance(await reopen(pool))).toBe('caught-up');
    expect(await pool.store.readMainChainCheckpoint()).toMatchObject({ blockNumber: FINALIZED });
  });

  it('does not add its logs within 100 blocks of the finalized one', async () => {
    const pool = await openPool(FINALIZED - 20, { proof: 'off' });
    answerLogs(pool, 990);
    expect(await advance(pool)).toBe('hash-mismatch');
    expect(await pool.store.listLogBlocks(FINALIZED - 20, FINALIZED)).toEqual([]);
    expect(await advance(await reopen(pool, { proof: 'off' }))).toBe('caught-up');
    expect(await seqsOf(pool)).toEqual(ROWS);
  });
});

describe('a confirmed group', () => {
  /** Returns the numbers of every request for headers, and the outcome. */
  async function listHeaderRequests(
    pool: Pool,
  ): Promise<{ outcome: string; requests: readonly (readonly number[])[] }> {
    const requests: (readonly number[])[] = [];
    pool.chain.faults.before = (request, numbers) => {
      if (request === 'headers') requests.push(numbers);
    };
    return { outcome: await advance(pool), requests };
  }

  it('costs two headers in one request, and those of blocks with logs near the finalized one', async () => {
    const pool = await openPool();
    const { chain, time } = pool;
    chain.faults.logs = (logs) => {
      time.jump(1_000);
      return logs;
    };
    const { outcome, requests } = await listHeaderRequests(pool);
    expect(outcome).toBe('caught-up');
    const near = [900, 910, 920, 930, 940, 950, 960, 970, 980, 990];
    expect(requests.slice(0, -1).every(([, last, ...more]) => last === FINALIZED && more.length === 0)).toBe(true);
    expect(requests.at(-1)).toEqual([...near, FINALIZED]);
    expect(requests.length).toBeGreaterThan(1);
  });

  it('has the times of the blocks that were read', async () => {
    const pool = await openPool();
    pool.chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockTimestamp: undefined }));
    const { outcome, requests } = await listHeaderRequests(pool);
    expect(outcome).toBe('caught-up');
    const read = requests.flat();
    expect(read.filter((number) => number !== FINALIZED)).toHaveLength(99);
    expect(new Set(read).size).toBe(100);
    const rows = await pool.store.listEventLogs('current', A, 0, 99);
    expect(rows.map(({ blockTimestamp }) => blockTimestamp)).toEqual(
      rows.map(({ blockNumber }) => pool.chain.headerAt(blockNumber).timestamp),
    );
  });

  it.each<[name: string, blocks: readonly number[], time: number]>([
    ['is before that of an earlier block', [400], 1],
    ['is before that of the group before', [500, 510], 1],
    ['is after that of its last block', [390], 4_000_000_000],
  ])('rejects a time of a log that %s', async (_name, blocks, time) => {
    const pool = await openPool(FORKED, { proof: 'off', maxWindowBlocks: 500 });
    pool.chain.faults.logs = (logs) => {
      pool.time.jump(10_000);
      return logs.map((log) => (blocks.includes(log.blockNumber) ? { ...log, blockTimestamp: time } : log));
    };
    expect(await advance(pool)).toBe('time-mismatch');
  });

  it('rejects a time near the finalized block that is not that of its block', async () => {
    const pool = await openPool();
    pool.chain.faults.logs = (logs) =>
      logs.map((log) => (log.blockNumber === 950 ? { ...log, blockTimestamp: 1 } : log));
    expect(await advance(pool)).toBe('time-mismatch');
  });
});
