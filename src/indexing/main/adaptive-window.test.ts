import { describe, expect, it } from 'vitest';
import { AdaptiveWindow } from './adaptive-window.ts';

function succeedTimes(pace: AdaptiveWindow, times: number): void {
  for (let i = 0; i < times; i++) pace.recordSuccess();
}

/** Creates a window that has seen empty blocks. */
function createFullPace(): AdaptiveWindow {
  const pace = new AdaptiveWindow();
  for (const blocks of [200, 1_000]) pace.recordLogDensity(blocks, 0);
  return pace;
}

describe('an adaptive window', () => {
  it('starts small with four requests in flight and soon reads sparse blocks in full windows', () => {
    const pace = new AdaptiveWindow();
    expect([pace.windowBlocks, pace.concurrency]).toEqual([200, 4]);
    const sizes = [200, 1_000, 5_000].map((blocks) => {
      pace.recordLogDensity(blocks, 3);
      return pace.windowBlocks;
    });
    expect(sizes).toEqual([1_000, 5_000, 5_000]);
  });

  it('requests no more blocks than hold 25,000 logs at the density of the last window', () => {
    const pace = createFullPace();
    pace.recordLogDensity(5_000, 500_000);
    expect(pace.windowBlocks).toBe(250);
    pace.recordLogDensity(1, 60_000);
    expect(pace.windowBlocks).toBe(1);
    pace.recordLogDensity(1, 25_000);
    expect(pace.windowBlocks).toBe(1);
    pace.recordLogDensity(1, 2_500);
    expect(pace.windowBlocks).toBe(5);
  });

  it('halves refused windows down to one block', () => {
    const pace = createFullPace();
    const sizes: number[] = [];
    while (pace.reduceWindow(pace.windowBlocks)) sizes.push(pace.windowBlocks);
    expect(sizes).toEqual([2_500, 1_250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1]);
  });

  it('does not grow after a refusal of a short last window', () => {
    const pace = createFullPace();
    pace.reduceWindow(5_000);
    pace.reduceWindow(4_999);
    expect(pace.windowBlocks).toBe(2_499);
  });

  it('grows again after a while, more slowly after each refusal', () => {
    const pace = new AdaptiveWindow(100);
    pace.reduceWindow(100);
    succeedTimes(pace, 15);
    expect(pace.windowBlocks).toBe(50);
    succeedTimes(pace, 1);
    expect(pace.windowBlocks).toBe(100);
    pace.reduceWindow(100);
    succeedTimes(pace, 31);
    expect(pace.windowBlocks).toBe(50);
    succeedTimes(pace, 1);
    expect(pace.windowBlocks).toBe(100);
  });

  it('drops to one request at a time after a rate limit and leaves the window size unchanged', () => {
    const pace = createFullPace();
    pace.reduceConcurrency();
    expect([pace.windowBlocks, pace.concurrency]).toEqual([5_000, 1]);
    succeedTimes(pace, 48);
    expect([pace.windowBlocks, pace.concurrency]).toEqual([5_000, 4]);
  });
});
