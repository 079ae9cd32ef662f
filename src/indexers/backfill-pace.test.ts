import { describe, expect, it } from 'vitest';
import { BackfillPace } from './backfill-pace.ts';

function succeedTimes(pace: BackfillPace, times: number): void {
  for (let i = 0; i < times; i++) pace.succeed();
}

describe('the pace of a backfill', () => {
  it('begins with full windows, four at once', () => {
    const pace = new BackfillPace();
    expect([pace.windowBlocks, pace.requestsInFlight]).toEqual([5_000, 4]);
  });

  it('halves refused windows down to one block', () => {
    const pace = new BackfillPace();
    const sizes: number[] = [];
    while (pace.refuseRange(pace.windowBlocks)) sizes.push(pace.windowBlocks);
    expect(sizes).toEqual([2_500, 1_250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1]);
  });

  it('does not grow because a short last window was refused', () => {
    const pace = new BackfillPace();
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
    const pace = new BackfillPace();
    pace.refuseRate();
    expect([pace.windowBlocks, pace.requestsInFlight]).toEqual([5_000, 1]);
    succeedTimes(pace, 48);
    expect([pace.windowBlocks, pace.requestsInFlight]).toEqual([5_000, 4]);
  });
});
