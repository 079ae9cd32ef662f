/** Search for the largest range of logs that a node serves. */
import { describe, expect, it } from 'vitest';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';
import { LogQueryRefused } from '../../../src/ports/main-chain.ts';
import { findLogRange } from './log-range.ts';

function chainOf(blocks: number, maxRange: number): FakeChain {
  const chain = new FakeChain();
  chain.mineMany(blocks - 2);
  chain.mine([submitted(machine(11))]);
  chain.faults.before = (request, [from, to]) => {
    if (request === 'logs' && to! - from! + 1 > maxRange) throw new LogQueryRefused('range-too-large');
  };
  return chain;
}

describe('the range of log queries', () => {
  it.each([1, 5, 10, 100])('is the %i blocks that the node serves at most', async (maxRange) => {
    const range = await findLogRange(chainOf(3_000, maxRange), { fromBlock: 0, toBlock: 2_999 });
    expect(range.isLimited).toBe(true);
    expect(range.blocks).toBeLessThanOrEqual(maxRange);
    expect(range.blocks).toBeGreaterThan(maxRange / 2);
  });

  it('covers a short chain without a refusal', async () => {
    const range = await findLogRange(chainOf(3_000, Infinity), { fromBlock: 0, toBlock: 2_999 });
    expect(range).toMatchObject({ readBlocks: 3_000, logs: 1, blocksWithLogs: 1, isLimited: false });
    expect(range.sample?.blockNumber).toBe(2_999);
  });

  it('ends with the refusal of a node that does not serve a single block', async () => {
    await expect(findLogRange(chainOf(3_000, 0), { fromBlock: 0, toBlock: 2_999 })).rejects.toMatchObject({
      reason: 'logs-refused',
    });
  });
});
