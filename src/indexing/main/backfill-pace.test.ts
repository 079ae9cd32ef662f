import { describe, expect, it } from 'vitest';
import { BackfillPace } from './backfill-pace.ts';

function succeedTimes(pace: BackfillPace, times: number): void {
  for (let i = 0; i < times; i++) pace.succeed();
}

/** One that has seen empty blocks. */
function createFullPace(): BackfillPace {
  const pace = new BackfillPace();
  for (const blocks of [200, 1_000]) pace.fit(blocks, 0);
  return pace;
}

describe('the pace of a backfill', () => {
  it('begins carefully, four at once, and soon reads sparse blocks in full windows', () => {
    const pace = new BackfillPace();
    expect([pace.windowBlocks, pace.requestsInFlight]).toEqual([200, 4]);
    const sizes = [200, 1_000, 5_000].map((blocks) => {
      pace.fit(blocks, 3);
      return pace.windowBlocks;
    });
    expect(sizes).toEqual([1_000, 5_000, 5_000]);
  });

  it('asks for no more blocks than hold 25,000 logs, by what the last window held', () => {
    const pace = createFullPace();
    pace.fit(5_000, 500_000);
    expect(pace.windowBlocks).toBe(250);
    pace.fit(1, 60_000);
    expect(pace.windowBlocks).toBe(1);
    pace.fit(1, 25_000);
    expect(pace.windowBlocks).toBe(1);
    pace.fit(1, 2_500);
    expect(pace.windowBlocks).toBe(5);
  });

  it('halves refused windows down to one block', () => {
    const pace = createFullPace();
    const sizes: number[] = [];
    while (pace.refuseRange(pace.windowBlocks)) sizes.push(pace.windowBlocks);
    expect(sizes).toEqual([2_500, 1_250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1]);
  });

  it('does not grow because a short last window was refused', () => {
    const pace = createFullPace();
    pace.refuseRange(5_000);
    pace.refuseRange(4_999);
    expect(pace.windowBlocks).toBe(2_499);
  });

  it('grows again after a while, more carefully after each refusal', () => {
    const pace = new BackfillPace(100);
    pace.refuseRange(100);
    succeedTimes(pace, 15);
    expect(pace.windowBlocks).toBe(50);
    succeedTimes(pace, 1);
    expect(pace.windowBlocks).toBe(100);
    pace.refuseRange(100);
    succeedTimes(pace, 31);
    expect(pace.windowBlocks).toBe(50);
    succeedTimes(pace, 1);
    expect(pace.windowBlocks).toBe(100);
  });

  it('goes one by one after a limit of the rate, with windows as they were', () => {
    const pace = createFullPace();
    pace.refuseRate();
    expect([pace.windowBlocks, pace.requestsInFlight]).toEqual([5_000, 1]);
    succeedTimes(pace, 48);
    expect([pace.windowBlocks, pace.requestsInFlight]).toEqual([5_000, 4]);
  });
});
