import { describe, expect, it } from 'vitest';
import { LogLimits } from '../../domain/index-rules/log-limits.ts';
import { AdaptiveWindow } from './adaptive-window.ts';

function recordSuccesses(adaptiveWindow: AdaptiveWindow, times: number): void {
  for (let i = 0; i < times; i++) adaptiveWindow.recordSuccess(1, 0);
}

/** Creates a window that has seen empty blocks. */
function createFullWindow(): AdaptiveWindow {
  const adaptiveWindow = new AdaptiveWindow();
  for (const blocks of [200, 1_000, 5_000]) adaptiveWindow.recordSuccess(blocks, 0);
  return adaptiveWindow;
}

describe('an adaptive window', () => {
  it('starts small and soon reads sparse blocks in full windows', () => {
    const adaptiveWindow = new AdaptiveWindow();
    expect(adaptiveWindow.windowBlocks).toBe(200);
    const sizes = [200, 1_000, 5_000].map((blocks) => {
      adaptiveWindow.recordSuccess(blocks, 3);
      return adaptiveWindow.windowBlocks;
    });
    expect(sizes).toEqual([1_000, 5_000, 5_000]);
  });

  it('has one request in flight while a window is wider than any accepted one, and four afterwards', () => {
    const adaptiveWindow = new AdaptiveWindow();
    const numbers = [200, 1_000, 5_000].map((blocks) => {
      const before = adaptiveWindow.concurrency;
      adaptiveWindow.recordSuccess(blocks, 3);
      return before;
    });
    expect([...numbers, adaptiveWindow.concurrency]).toEqual([1, 1, 1, 4]);
  });

  it('requests no more blocks than hold 25,000 logs at the density of the last window', () => {
    const adaptiveWindow = createFullWindow();
    adaptiveWindow.recordSuccess(5_000, 500_000);
    expect(adaptiveWindow.windowBlocks).toBe(250);
    adaptiveWindow.recordSuccess(1, 60_000);
    expect(adaptiveWindow.windowBlocks).toBe(1);
    adaptiveWindow.recordSuccess(1, 25_000);
    expect(adaptiveWindow.windowBlocks).toBe(1);
    adaptiveWindow.recordSuccess(1, 2_500);
    expect(adaptiveWindow.windowBlocks).toBe(5);
  });

  it('halves windows that time out down to one block', () => {
    const adaptiveWindow = createFullWindow();
    const sizes = Array.from({ length: 13 }, () => {
      adaptiveWindow.reduceWindow(adaptiveWindow.windowBlocks);
      return adaptiveWindow.windowBlocks;
    });
    expect(sizes).toEqual([2_500, 1_250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1, 1]);
  });

  it('follows the limits of the node that is queried first', () => {
    const nodes = [new LogLimits({ passed: 2_000, refused: 2_001, logs: 100 }), new LogLimits()] as const;
    let first: LogLimits = nodes[0];
    const adaptiveWindow = new AdaptiveWindow(100_000, () => first);
    for (const blocks of [200, 1_000]) adaptiveWindow.recordSuccess(blocks, 0);
    expect([adaptiveWindow.windowBlocks, adaptiveWindow.concurrency]).toEqual([2_000, 4]);
    adaptiveWindow.recordSuccess(1_000, 200);
    expect(adaptiveWindow.windowBlocks).toBe(500);
    first = nodes[1];
    for (const blocks of [500, 2_500]) adaptiveWindow.recordSuccess(blocks, 0);
    expect(adaptiveWindow.windowBlocks).toBe(12_500);
    expect(adaptiveWindow.refuseWindow(12_500)).toBe(true);
    expect([nodes[0].bounds, nodes[1].bounds.refused]).toEqual([{ passed: 2_000, refused: 2_001, logs: 100 }, 12_500]);
  });

  it('halves a window that holds too many logs', () => {
    const adaptiveWindow = createFullWindow();
    adaptiveWindow.recordSuccess(5_000, 20_000);
    expect(adaptiveWindow.refuseWindow(5_000)).toBe(true);
    expect(adaptiveWindow.windowBlocks).toBe(2_500);
    adaptiveWindow.recordSuccess(2_500, 10_000);
    expect(adaptiveWindow.windowBlocks).toBe(2_500);
  });

  it('cannot be smaller than one block', () => {
    expect(new AdaptiveWindow().refuseWindow(1)).toBe(false);
  });

  it('does not grow after a timeout of a short last window', () => {
    const adaptiveWindow = createFullWindow();
    adaptiveWindow.reduceWindow(5_000);
    adaptiveWindow.reduceWindow(4_999);
    expect(adaptiveWindow.windowBlocks).toBe(2_499);
  });

  it('grows again after a while, more slowly after each timeout', () => {
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
