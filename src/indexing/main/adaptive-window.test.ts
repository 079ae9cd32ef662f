import { describe, expect, it } from 'vitest';
import { AdaptiveWindow } from './adaptive-window.ts';

function recordSuccesses(adaptiveWindow: AdaptiveWindow, times: number): void {
  for (let i = 0; i < times; i++) adaptiveWindow.recordSuccess(1);
}

/** Creates a window that has seen empty blocks. */
function createFullWindow(): AdaptiveWindow {
  const adaptiveWindow = new AdaptiveWindow();
  for (const blocks of [200, 1_000]) adaptiveWindow.recordLogDensity(blocks, 0);
  return adaptiveWindow;
}

describe('an adaptive window', () => {
  it('starts small with four requests in flight and soon reads sparse blocks in full windows', () => {
    const adaptiveWindow = new AdaptiveWindow();
    expect([adaptiveWindow.windowBlocks, adaptiveWindow.concurrency]).toEqual([200, 4]);
    const sizes = [200, 1_000, 5_000].map((blocks) => {
      adaptiveWindow.recordLogDensity(blocks, 3);
      return adaptiveWindow.windowBlocks;
    });
    expect(sizes).toEqual([1_000, 5_000, 5_000]);
  });

  it('requests no more blocks than hold 25,000 logs at the density of the last window', () => {
    const adaptiveWindow = createFullWindow();
    adaptiveWindow.recordLogDensity(5_000, 500_000);
    expect(adaptiveWindow.windowBlocks).toBe(250);
    adaptiveWindow.recordLogDensity(1, 60_000);
    expect(adaptiveWindow.windowBlocks).toBe(1);
    adaptiveWindow.recordLogDensity(1, 25_000);
    expect(adaptiveWindow.windowBlocks).toBe(1);
    adaptiveWindow.recordLogDensity(1, 2_500);
    expect(adaptiveWindow.windowBlocks).toBe(5);
  });

  it('halves refused windows down to one block', () => {
    const adaptiveWindow = createFullWindow();
    const sizes: number[] = [];
    while (adaptiveWindow.reduceWindow(adaptiveWindow.windowBlocks)) sizes.push(adaptiveWindow.windowBlocks);
    expect(sizes).toEqual([2_500, 1_250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1]);
  });

  it.each([
    [10_000, 10_000],
    [6_100, 5_000],
    [2_000, 2_000],
    [1_024, 1_000],
  ])('finds a size near a limit of %i blocks after at most four refusals in a row', (limit, found) => {
    const adaptiveWindow = new AdaptiveWindow(100_000);
    let inARow = 0;
    for (let queries = 0; queries < 20; queries++) {
      const blocks = adaptiveWindow.windowBlocks;
      if (blocks > limit) {
        adaptiveWindow.refuseWindow(blocks);
        expect(++inARow).toBeLessThanOrEqual(4);
        continue;
      }
      inARow = 0;
      adaptiveWindow.recordSuccess(blocks);
      adaptiveWindow.recordLogDensity(blocks, 0);
    }
    expect([adaptiveWindow.windowBlocks, adaptiveWindow.concurrency]).toEqual([found, 4]);
  });

  it('tries a size between an accepted and a refused one with one request', () => {
    const adaptiveWindow = createFullWindow();
    adaptiveWindow.recordSuccess(1_000);
    adaptiveWindow.refuseWindow(5_000);
    expect([adaptiveWindow.windowBlocks, adaptiveWindow.concurrency]).toEqual([3_000, 1]);
    adaptiveWindow.recordSuccess(3_000);
    expect([adaptiveWindow.windowBlocks, adaptiveWindow.concurrency]).toEqual([4_000, 1]);
  });

  it('does not grow after a refusal of a short last window', () => {
    const adaptiveWindow = createFullWindow();
    adaptiveWindow.reduceWindow(5_000);
    adaptiveWindow.reduceWindow(4_999);
    expect(adaptiveWindow.windowBlocks).toBe(2_499);
  });

  it('grows again after a while, more slowly after each refusal', () => {
    const adaptiveWindow = new AdaptiveWindow(100);
    adaptiveWindow.reduceWindow(100);
    recordSuccesses(adaptiveWindow, 15);
    expect(adaptiveWindow.windowBlocks).toBe(50);
    recordSuccesses(adaptiveWindow, 1);
    expect(adaptiveWindow.windowBlocks).toBe(100);
    adaptiveWindow.reduceWindow(100);
    recordSuccesses(adaptiveWindow, 31);
    expect(adaptiveWindow.windowBlocks).toBe(50);
    recordSuccesses(adaptiveWindow, 1);
    expect(adaptiveWindow.windowBlocks).toBe(100);
  });

  it('drops to one request at a time after a rate limit and leaves the window size unchanged', () => {
    const adaptiveWindow = createFullWindow();
    adaptiveWindow.reduceConcurrency();
    expect([adaptiveWindow.windowBlocks, adaptiveWindow.concurrency]).toEqual([5_000, 1]);
    recordSuccesses(adaptiveWindow, 48);
    expect([adaptiveWindow.windowBlocks, adaptiveWindow.concurrency]).toEqual([5_000, 4]);
  });
});
