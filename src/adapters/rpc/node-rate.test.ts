/** Rate of calls learned from refusals, in simulated time. */
import { describe, expect, test } from 'vitest';
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
async function send(
  rate: NodeRate,
  stopwatch: Stopwatch & { now: number },
  limit: number,
  milliseconds: number,
  refuse = (calls: number, sentAt: number) => rate.recordRefusal(calls, sentAt),
  pauseMilliseconds = 1_000,
) {
  const end = stopwatch.now + milliseconds;
  const budget = createCallBudget({ clock: stopwatch, stopwatch });
  budget.limitTo(() => rate);
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
      refuse(1, stopwatch.now);
      stopwatch.now += pauseMilliseconds;
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

test.each([
  ['is lowered by unclear refusals of a quarter of the requests', 30, 10, 24],
  ['is not lowered by those of fewer', 30, 9, Infinity],
  ['is not lowered by two of few requests', 3, 2, Infinity],
  ['is not lowered by those of a node that accepts nothing', 0, 30, Infinity],
])('%s', (_, accepted, refused, maxCalls) => {
  const stopwatch = createStopwatch();
  const rate = new NodeRate(stopwatch);
  rate.recordAccepted(30);
  stopwatch.now += 1_000;
  if (accepted > 0) rate.recordAccepted(accepted);
  for (let i = 0; i < refused; i++) rate.recordUnclearRefusal(1, stopwatch.now);
  expect(rate.maxCalls).toBe(maxCalls);
});

test.each([10, 25])('approaches a limit of %i calls per second that refuses without a reason', async (limit) => {
  const stopwatch = createStopwatch();
  const rate = new NodeRate(stopwatch);
  const refuse = (calls: number, at: number) => rate.recordUnclearRefusal(calls, at);
  const { accepted, refused } = await send(rate, stopwatch, limit, 300_000, refuse, 10);
  expect(accepted).toBeGreaterThan(0.5 * limit * 300);
  expect(refused).toBeLessThan(0.2 * accepted);
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

describe('a node whose calls are used up', () => {
  test('is so for the time of the refusal, and keeps its rate', () => {
    const stopwatch = createStopwatch();
    const rate = new NodeRate(stopwatch, 25);
    rate.recordUsedUp(0, 60_000);
    stopwatch.now = 59_999;
    expect([rate.isUsedUp, rate.callsPerSecond]).toEqual([true, 25]);
    stopwatch.now = 60_000;
    expect([rate.isUsedUp, rate.callsPerSecond]).toEqual([false, 25]);
  });

  test('is no longer so once it accepts a call that was sent after the refusal', () => {
    const stopwatch = createStopwatch();
    const rate = new NodeRate(stopwatch);
    stopwatch.now = 100;
    rate.recordUsedUp(0, 60_000);
    rate.recordAccepted(1, 50);
    rate.recordAccepted(0, 100);
    expect(rate.isUsedUp).toBe(true);
    rate.recordAccepted(1, 100);
    expect(rate.isUsedUp).toBe(false);
  });

  test('counts refusals of requests that were sent before the last refusal once', () => {
    const stopwatch = createStopwatch();
    const rate = new NodeRate(stopwatch);
    stopwatch.now = 100;
    rate.recordUsedUp(0, 60_000);
    stopwatch.now = 500;
    rate.recordUsedUp(50, 60_000);
    stopwatch.now = 60_100;
    expect(rate.isUsedUp).toBe(false);
  });
});
