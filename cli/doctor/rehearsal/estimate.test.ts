/** Estimate of the first start, compared with the arithmetic of the design. */
import { describe, expect, it } from 'vitest';
import type { ChainLog } from '../../../src/ports/main-chain.ts';
import { describeEstimate, estimateFirstStart, type EstimateInput } from './estimate.ts';

/** 10,000,000 blocks with logs in 0.5 % of them, behind 25 calls a second. */
function input(
  rangeBlocks: number,
  changes: Partial<EstimateInput> = {},
  blockTimestamp: number | undefined = 1,
): EstimateInput {
  return {
    blocks: 10_000_000,
    loggingBlocks: 10_000_000,
    range: {
      blocks: rangeBlocks,
      readBlocks: 100_000,
      logs: 750,
      blocksWithLogs: 500,
      machines: 100,
      machine: undefined,
      firstLogBlock: 1,
      sample: { blockTimestamp } as ChainLog,
      isLimited: true,
    },
    events: 60_000,
    rpcHosts: ['a'],
    proof: 'background',
    rate: { callsPerSecond: 25, source: 'configured' },
    ...changes,
  };
}

describe('the estimate', () => {
  it.each([
    [10_000, 3],
    [2_000, 6],
    [1_024, 10],
  ])('is within the goal for ranges of %i blocks: %i minutes', (rangeBlocks, minutes) => {
    const { servingSeconds, limit } = estimateFirstStart(input(rangeBlocks));
    expect(servingSeconds).toBeLessThan(60 * minutes);
    expect(servingSeconds).toBeGreaterThan(40);
    expect(limit).toBe('log queries');
  });

  it('adds a header for each block with logs where logs have no time', () => {
    const timed = estimateFirstStart(input(10_000));
    const untimed = estimateFirstStart({ ...input(10_000), range: { ...input(10_000).range, sample: {} as ChainLog } });
    expect(untimed.servingCalls - timed.servingCalls).toBe(50_000);
    expect(untimed.limit).toBe('headers of blocks with logs');
  });

  it('reads every header first with INDEX_PROOF=before, and proves nothing with off', () => {
    expect(estimateFirstStart(input(10_000, { proof: 'before' })).servingCalls).toBeGreaterThan(10_000_000);
    expect(estimateFirstStart(input(10_000, { proof: 'off' })).provenSeconds).toBeUndefined();
  });

  it('fails with the cause when the first index takes more than a day', () => {
    const slow = input(3);
    const [, cause] = describeEstimate(estimateFirstStart(slow), slow);
    expect(cause).toMatchObject({ state: 'fail', subject: 'MAIN_RPC_URLS' });
    expect(cause!.text).toMatch(/^log queries of at most 3 blocks make the first index take about \d+ days$/);
    const fast = input(2_000);
    expect(describeEstimate(estimateFirstStart(fast), fast).map(({ state }) => state)).toEqual(['ok']);
  });

  it.each<[name: string, slow: EstimateInput, text: RegExp, remedy: RegExp]>([
    [
      'headers of all blocks',
      input(10_000, { proof: 'before' }),
      /^headers of all blocks, which INDEX_PROOF=before reads first, make the first index take about 5 days$/,
      /^set INDEX_PROOF=background, /,
    ],
    [
      'headers of blocks with logs',
      {
        ...input(10_000, { blocks: 1e9, loggingBlocks: 1e9 }),
        range: { ...input(10_000).range, sample: {} as ChainLog },
      },
      /^headers of blocks with logs, for the blockTimestamp .* make the first index take about \d+ days$/,
      /^use a node whose logs carry blockTimestamp, /,
    ],
    [
      'records of events',
      input(10_000, { events: 1e9 }),
      /^records of events make the first index take about \d+ days$/,
      /^use a plan or node that serves more calls$/,
    ],
  ])('names what most calls of a slow first index are for, and what helps: %s', (limit, slow, text, remedy) => {
    const estimate = estimateFirstStart(slow);
    expect(estimate.limit).toBe(limit);
    expect(describeEstimate(estimate, slow)[1]).toMatchObject({
      state: 'fail',
      text: expect.stringMatching(text),
      remedy: expect.stringMatching(remedy),
    });
  });

  it('expects logs in no block before the contracts', () => {
    const late = input(10_000, { loggingBlocks: 100_000, proof: 'off' });
    const untimed = { ...late, range: { ...late.range, sample: {} as ChainLog } };
    expect(estimateFirstStart(untimed).servingCalls - estimateFirstStart(late).servingCalls).toBe(500);
  });

  it('sends each host the queries that prove that nothing was hidden', () => {
    const provenCalls = (...rpcHosts: string[]) => 25 * estimateFirstStart(input(1_000, { rpcHosts })).provenSeconds!;
    expect(provenCalls('a', 'b', 'c') - provenCalls('a', 'b')).toBe(10_000);
    expect(provenCalls('a', 'b') - provenCalls('a')).toBe(2 * 10_000 - 1_000);
    expect(provenCalls('a', 'a')).toBe(provenCalls('a'));
  });

  it('is bounded by the calls of a day, and names the setting', () => {
    const rate = { callsPerSecond: 25, source: 'configured' } as const;
    const bounded = input(1_000, { rate: { ...rate, callsPerDay: 2_000 } });
    const estimate = estimateFirstStart(bounded);
    expect(estimate.servingSeconds).toBe((86_400 * estimate.servingCalls) / 2_000);
    const [finding, cause] = describeEstimate(estimate, bounded);
    expect(finding!.text).toMatch(
      / limited by MAIN_RPC_CALLS_PER_DAY to 2,000 calls a day; most calls are log queries$/,
    );
    expect(cause).toMatchObject({ state: 'fail' });
    const within = input(1_000, { rate: { ...rate, callsPerDay: 1_000_000 } });
    expect(estimateFirstStart(within)).toEqual(estimateFirstStart(input(1_000)));
    expect(describeEstimate(estimateFirstStart(within), within)[0]!.text).not.toContain('MAIN_RPC_CALLS_PER_DAY');
  });
});
