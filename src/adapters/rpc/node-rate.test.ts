/** Rate of calls learned from refusals, in simulated time. */
import { expect, test } from 'vitest';
import { createCallBudget } from './call-budget.ts';
import { HEAD_WORK, startDeadline, type Stopwatch } from './deadline.ts';
import { NodeRate } from './node-rate.ts';

const HEAD = { work: HEAD_WORK, isKnown: true };

/** A stopwatch whose pauses end at once and advance the time. */
function createStopwatch(): Stopwatch & { now: number } {
  const stopwatch = {
    now: 0,
    nowMilliseconds: () => stopwatch.now,
    startTimeout: () => new AbortController().signal,
    pause: (milliseconds: number) => {
      stopwatch.now += milliseconds;
      return Promise.resolve();
    },
  };
  return stopwatch;
}

/**
 * Sends calls for this time, paced by the rate, to a node that accepts `limit` calls in any second. Returns accepted and
 * refused calls.
 */
async function send(rate: NodeRate, stopwatch: Stopwatch & { now: number }, limit: number, milliseconds: number) {
  const end = stopwatch.now + milliseconds;
  const budget = createCallBudget({ clock: stopwatch, stopwatch });
  budget.limitTo(() => rate.callsPerSecond);
  let window: number[] = [];
  const counts = { accepted: 0, refused: 0 };
  while (stopwatch.now < end) {
    await budget.admit(1, startDeadline(600_000, 600_000, stopwatch, HEAD));
    window = window.filter((at) => stopwatch.now - at < 1_000);
    if (window.length < limit) {
      window.push(stopwatch.now);
      counts.accepted += 1;
      rate.recordAccepted(1);
      stopwatch.now += 1;
    } else {
      counts.refused += 1;
      rate.recordRefusal(1, stopwatch.now);
      stopwatch.now += 1_000;
    }
  }
  return counts;
}

test('has no rate before the first refusal', () => {
  const rate = new NodeRate(createStopwatch());
  for (let i = 0; i < 1_000; i++) rate.recordAccepted(100);
  expect([rate.callsPerSecond, rate.maxCalls]).toEqual([undefined, Infinity]);
});

test.each([2, 25, 100])('uses most of a rate of %i calls per second with few refusals', async (limit) => {
  const stopwatch = createStopwatch();
  const { accepted, refused } = await send(new NodeRate(stopwatch), stopwatch, limit, 300_000);
  expect(accepted).toBeGreaterThan(0.5 * limit * 300);
  // A higher rate is tried every 5 s, and is refused at most twice.
  expect(refused).toBeLessThanOrEqual(2 * 60);
});

test('is unlimited again some time after the last refusal', async () => {
  const stopwatch = createStopwatch();
  const rate = new NodeRate(stopwatch);
  rate.recordRefusal(100, 0);
  expect([rate.callsPerSecond, rate.maxCalls]).toEqual([40, 40]);
  await send(rate, stopwatch, Infinity, 120_000);
  expect(rate.callsPerSecond).toBeUndefined();
});

test('is lowered by an unclear refusal to no less than a first refusal leaves', () => {
  const stopwatch = createStopwatch();
  const rate = new NodeRate(stopwatch);
  const rates = Array.from({ length: 5 }, () => {
    rate.recordAccepted(30);
    rate.recordUnclearRefusal(1, stopwatch.now);
    stopwatch.now += 1_000;
    return rate.maxCalls;
  });
  expect(rates).toEqual([24, 19, 15, 12, 9]);
  for (let i = 0; i < 10; i++) {
    stopwatch.now += 1_000;
    rate.recordAccepted(1);
    rate.recordUnclearRefusal(1, stopwatch.now);
  }
  expect(rate.callsPerSecond).toBeGreaterThanOrEqual(5);
});

test('is not lowered by an unclear refusal of a node that accepts nothing', () => {
  const stopwatch = createStopwatch();
  const rate = new NodeRate(stopwatch);
  rate.recordAccepted(30);
  stopwatch.now += 1_000;
  rate.recordUnclearRefusal(1, stopwatch.now);
  expect(rate.callsPerSecond).toBeUndefined();
});

test('counts refusals of requests that were sent before the last refusal once', () => {
  const stopwatch = createStopwatch();
  const rate = new NodeRate(stopwatch);
  stopwatch.now = 100;
  rate.recordRefusal(100, 0);
  rate.recordRefusal(100, 50);
  expect(rate.callsPerSecond).toBe(40);
  rate.recordRefusal(40, 100);
  expect(rate.callsPerSecond).toBe(20);
});
