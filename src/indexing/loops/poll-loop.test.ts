import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { createKeptLog } from '../../../testing/fakes/recording-log.ts';
import { createPollLoop, type NextStep, type StepOutcome } from './poll-loop.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';

function createLoop(step: (count: number, signal: AbortSignal) => Promise<StepOutcome | NextStep>) {
  const time = new VirtualTime(0);
  const log = createKeptLog();
  const startedAt: number[] = [];
  const loop = createPollLoop({
    name: 'test',
    intervalMilliseconds: 60_000,
    firstBackoffMilliseconds: 1_000,
    maxBackoffMilliseconds: 8_000,
    clock: time,
    timers: time,
    log,
    step: (signal) => {
      startedAt.push(time.nowMilliseconds());
      return step(startedAt.length, signal);
    },
  });
  return { loop, time, log, startedAt };
}

describe('a poll loop', () => {
  it('steps at once, then after every interval', async () => {
    const { loop, time, startedAt } = createLoop(() => Promise.resolve('idle'));
    loop.start();
    await time.advance(150_000);
    expect(startedAt).toEqual([0, 60_000, 120_000]);
    await loop.stop();
    await time.advance(150_000);
    expect(startedAt).toHaveLength(3);
  });

  it('goes on at once while there is more', async () => {
    const { loop, time, startedAt } = createLoop((count) => Promise.resolve(count < 4 ? 'more' : 'idle'));
    loop.start();
    await time.advance(60_000);
    expect(startedAt).toEqual([0, 0, 0, 0, 60_000]);
    await loop.stop();
  });

  it.each([
    ['from its beginning', 400, [1, [4_600]]],
    ['not at all when that has passed', 6_000, [2, [5_000]]],
    ['and no longer because a clock was set back', -3_600_000, [1, [5_000]]],
  ])('waits as long as a step says, %s', async (_name, passes, expected) => {
    const { loop, time, startedAt } = createLoop((count) => {
      if (count === 1) time.jump(passes);
      return Promise.resolve({ waitMilliseconds: 5_000 });
    });
    loop.start();
    await time.advance(0);
    expect([startedAt.length, time.pauses]).toEqual(expected);
    await loop.stop();
  });

  it('waits longer after each failure, up to a bound, and forgets them after a success', async () => {
    const { loop, time, startedAt, log } = createLoop((count) =>
      count === 7 ? Promise.resolve('idle') : Promise.reject(chainUnreadable('main', 'transport')),
    );
    loop.start();
    await time.advance(92_000);
    expect(startedAt).toEqual([0, 1_000, 3_000, 7_000, 15_000, 23_000, 31_000, 91_000, 92_000]);
    expect(loop.report()).toEqual({
      steps: 9,
      failures: 8,
      consecutiveFailures: 2,
      lastFailure: 'ChainUnreadable:transport',
      lastSuccessAtMilliseconds: 31_000,
    });
    expect(log.lines[0]).toEqual({
      level: 'warn',
      fields: { loop: 'test', reason: 'ChainUnreadable:transport', consecutiveFailures: 1, pauseMilliseconds: 1_000 },
      message: 'step failed',
    });
    await loop.stop();
  });

  it('waits as long as a node asks, within reason', async () => {
    const { loop, time } = createLoop((count) =>
      Promise.reject(new LogQueryRefused('rate-limited', count === 1 ? 30 : 1e9)),
    );
    loop.start();
    await time.advance(0);
    expect(time.pauses).toEqual([30_000]);
    await time.advance(30_000);
    expect(time.pauses).toEqual([600_000]);
    await loop.stop();
  });

  it('names a defect by its class alone', async () => {
    const { loop, time, log } = createLoop(() => Promise.reject(new TypeError('https://user:key@node')));
    loop.start();
    await time.advance(0);
    await loop.stop();
    expect(JSON.stringify(log.lines)).toContain('unexpected:TypeError');
    expect(JSON.stringify(log.lines)).not.toContain('key');
  });

  it('never runs two steps at once, and a stop waits for the one that runs', async () => {
    const step = Promise.withResolvers<StepOutcome>();
    let aborted = false;
    const { loop, time, startedAt } = createLoop((_count, signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return step.promise;
    });
    loop.start();
    loop.start();
    await time.advance(200_000);
    expect(startedAt).toEqual([0]);
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await time.advance(0);
    expect([aborted, stopped]).toEqual([true, false]);
    step.resolve('more');
    await stopping;
    expect(startedAt).toEqual([0]);
  });

  it('ends its pause when it is woken', async () => {
    const { loop, time, startedAt } = createLoop(() => Promise.resolve('idle'));
    loop.start();
    await time.advance(7_000);
    loop.wake();
    await time.advance(60_000);
    expect(startedAt).toEqual([0, 7_000, 67_000]);
    await loop.stop();
  });

  it('makes no pause after a step during which it is woken', async () => {
    const { loop, time, startedAt } = createLoop((count) => {
      if (count === 1) loop.wake();
      return Promise.resolve('idle');
    });
    loop.start();
    await time.advance(60_000);
    expect(startedAt).toEqual([0, 0, 60_000]);
    await loop.stop();
  });

  it('starts again after a stop', async () => {
    const { loop, time, startedAt } = createLoop(() => Promise.resolve('idle'));
    loop.start();
    await time.advance(1_000);
    await loop.stop();
    loop.start();
    await time.advance(0);
    expect(startedAt).toEqual([0, 1_000]);
    await loop.stop();
  });
});
