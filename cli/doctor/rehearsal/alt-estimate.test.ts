/** Estimate of the first start on the alt chain. */
import { describe, expect, it } from 'vitest';
import { describeAltEstimate, estimateTransactions } from './alt-estimate.ts';

const rowsFrom = (newest: number, count: number, step: number) =>
  Array.from({ length: count }, (_, i) => ({ slot: newest - i * step }));

describe('the estimate for the alt chain', () => {
  it('extrapolates the density of the listed transactions to the first slot', () => {
    const rows = rowsFrom(1_000_000, 3_001, 10);
    expect(estimateTransactions({ rows, isWhole: false }, 100_000)).toBe(90_030);
    expect(estimateTransactions({ rows, isWhole: true }, 100_000)).toBe(3_001);
    expect(estimateTransactions({ rows: [], isWhole: true }, 100_000)).toBe(0);
  });

  it('prints calls, bytes, time and rate', () => {
    expect(describeAltEstimate(90_000, { callsPerSecond: 25, source: 'configured' })).toEqual([
      {
        state: 'ok',
        subject: 'alt first start',
        text: 'about 90,110 calls and 293 megabytes for 90,000 transactions: rated after about 61 minutes, at 25 calls a second (as configured)',
      },
    ]);
  });

  it('fails with the cause when the first index takes more than a day', () => {
    const [, cause] = describeAltEstimate(10_000_000, { callsPerSecond: 25, source: 'refused' });
    expect(cause).toMatchObject({
      state: 'fail',
      subject: 'ALT_RPC_URLS',
      text: 'at the rate of its nodes, the first index of the alt chain takes about 5 days',
    });
  });
});
