import { describe, expect, it } from 'vitest';
import { LogLimits } from './log-limits.ts';

/** Queries empty blocks at a node that accepts `limit` blocks. Returns the numbers of refused queries in a row. */
function search(limits: LogLimits, limit: number, queries: number, first = 200): number[] {
  const rows: number[] = [];
  let inARow = 0;
  let fitting = first;
  for (let i = 0; i < queries; i++) {
    const blocks = Math.min(limits.blocks, fitting);
    if (blocks > limit) {
      limits.recordRefusal(blocks);
      rows.push(++inARow);
      continue;
    }
    inARow = 0;
    limits.recordSuccess(blocks, 0);
    fitting *= 5;
  }
  return rows;
}

describe('the range of log queries', () => {
  it.each([
    [10_000, 10_000, 5],
    [6_100, 5_000, 4],
    [2_000, 2_000, 2],
    [1_024, 1_024, 6],
    [50_000, 50_000, 4],
    [800, 786, 3],
    [10, 10, 6],
  ])('is found near a limit of %i blocks with few refusals', (limit, found, refusals) => {
    const limits = new LogLimits();
    expect(search(limits, limit, 20).length).toBeLessThanOrEqual(refusals);
    expect(limits.blocks).toBe(found);
  });

  it('is not searched again from stored bounds', () => {
    const limits = new LogLimits();
    search(limits, 2_000, 20);
    const again = new LogLimits(limits.bounds);
    expect([again.blocks, search(again, 2_000, 60)]).toEqual([2_000, []]);
  });

  it('grows when the node accepts more than before', () => {
    const limits = new LogLimits({ passed: 10, refused: 11, logs: 25_000 });
    search(limits, 5_000, 300, 100_000);
    expect(limits.blocks).toBeGreaterThan(4_000);
  });

  it('is remembered while queries are smaller', () => {
    const limits = new LogLimits({ passed: 2_000, refused: 2_001, logs: 25_000 });
    for (let i = 0; i < 1_000; i++) limits.recordSuccess(100, 1_000);
    expect([limits.blocks, limits.bounds.refused]).toEqual([2_000, 2_001]);
  });

  it('is found again when the node accepts less than before', () => {
    const limits = new LogLimits();
    search(limits, 2_000, 20);
    search(limits, 100, 20, 100_000);
    expect(limits.blocks).toBeLessThanOrEqual(100);
    expect(limits.blocks).toBeGreaterThan(50);
  });

  it('is halved once by queries that were refused together', () => {
    const limits = new LogLimits();
    limits.recordSuccess(1_000, 0);
    for (let i = 0; i < 4; i++) limits.recordRefusal(5_000);
    expect(limits.blocks).toBe(2_048);
    limits.recordRefusal(2_048);
    limits.recordRefusal(2_000);
    limits.recordRefusal(1_024);
    expect(limits.blocks).toBe(1_000);
  });
});

describe('the logs of a response', () => {
  it('are reduced by the refusal of a range that was accepted with fewer logs', () => {
    const limits = new LogLimits();
    limits.recordSuccess(10_000, 100);
    limits.recordSuccess(1_000, 8_000);
    limits.recordRefusal(2_000);
    expect([limits.logs, limits.acceptedBlocks]).toEqual([8_000, 10_000]);
  });

  it('grow again after a run of successes', () => {
    const limits = new LogLimits({ passed: 10_000, refused: undefined, logs: 1_000 });
    for (let i = 0; i < 8; i++) limits.recordSuccess(100, 900);
    expect(limits.logs).toBe(2_000);
  });
});

describe('stored bounds', () => {
  it.each([
    { passed: 1e15, refused: undefined, logs: 1e15 },
    { passed: 0, refused: 2, logs: 0 },
    { passed: 5, refused: 3, logs: Infinity },
    { passed: 0, refused: 1e15, logs: 25_000 },
  ])('of any size lead to sizes in range: %j', (bounds) => {
    const limits = new LogLimits(bounds);
    for (const value of [limits.blocks, limits.logs]) expect(Number.isSafeInteger(value)).toBe(true);
    expect(limits.blocks).toBeGreaterThanOrEqual(1);
    expect(limits.blocks).toBeLessThanOrEqual(100_000);
    expect(limits.logs).toBeGreaterThanOrEqual(10);
    expect(limits.logs).toBeLessThanOrEqual(25_000);
  });
});
