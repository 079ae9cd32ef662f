import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { createPollLoop, type NextStep, type StepOutcome } from './poll-loop.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';

function createLoop(
  step: (count: number, signal: AbortSignal) => Promise<StepOutcome | NextStep>,
  bounds: { readonly maxRetryAfterMilliseconds?: number } = {},
) {
  const time = new VirtualTime(0);
  const log = createRecordingLog();
  const startedAt: number[] = [];
  const loop = createPollLoop({
    name: 'test',
    intervalMilliseconds: 60_000,
    firstBackoffMilliseconds: 1_000,
    maxBackoffMilliseconds: 8_000,
    ...bounds,
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
  it('runs a step at once and then after every interval', async () => {
    const { loop, time, startedAt } = createLoop(() => Promise.resolve('idle'));
    loop.start();
    await time.advance(150_000);
    expect(startedAt).toEqual([0, 60_000, 120_000]);
    await loop.stop();
    await time.advance(150_000);
    expect(startedAt).toHaveLength(3);
  });

  it('runs the next step at once while there is more work', async () => {
    const { loop, time, startedAt } = createLoop((count) => Promise.resolve(count < 4 ? 'more' : 'idle'));
    loop.start();
    await time.advance(60_000);
    expect(startedAt).toEqual([0, 0, 0, 0, 60_000]);
    await loop.stop();
  });

  it.each([
    ['counted from its start', 400, [1, [4_600]]],
    ['or not at all when that time has passed', 6_000, [2, [5_000]]],
    ['and no longer after a clock was set back', -3_600_000, [1, [5_000]]],
  ])('waits as long as the step requests, %s', async (_name, passes, expected) => {
    const { loop, time, startedAt } = createLoop((count) => {
      if (count === 1) time.jump(passes);
      return Promise.resolve({ waitMilliseconds: 5_000 });
    });
    loop.start();
    await time.advance(0);
    expect([startedAt.length, time.pauses]).toEqual(expected);
    await loop.stop();
  });

  it('doubles the pause after each failure up to a bound and resets it after a success', async () => {
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

  it('honors the pause that a node requests, up to a bound', async () => {
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

  it('waits no longer than its own bound for a pause that a node requests', async () => {
    const { loop, time } = createLoop(() => Promise.reject(new LogQueryRefused('rate-limited', 600)), {
      maxRetryAfterMilliseconds: 5_000,
    });
    loop.start();
    await time.advance(0);
    expect(time.pauses).toEqual([5_000]);
    await loop.stop();
  });

  it('reports a defect by its class alone', async () => {
    const { loop, time, log } = createLoop(() => Promise.reject(new TypeError('https://user:key@node')));
    loop.start();
    await time.advance(0);
    await loop.stop();
    expect(JSON.stringify(log.lines)).toContain('unexpected:TypeError');
    expect(JSON.stringify(log.lines)).not.toContain('key');
  });

  it('never runs two steps at once, and waits for the running step when stopped', async () => {
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

  it('skips the pause after a step during which it is woken', async () => {
    const { loop, time, startedAt } = createLoop((count) => {
      if (count === 1) loop.wake();
      return Promise.resolve('idle');
    });
    loop.start();
    await time.advance(60_000);
    expect(startedAt).toEqual([0, 0, 60_000]);
    await loop.stop();
  });

  it('can be started again after a stop', async () => {
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
