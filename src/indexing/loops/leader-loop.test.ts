import { describe, expect, it } from 'vitest';
import { Fault } from '../../domain/faults.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { createLeaderLoop } from './leader-loop.ts';
import type { PollLoop } from './poll-loop.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';

/** Scripts the results of the lock, one per second; the last one repeats. */
function createFixture(results: readonly (boolean | Error)[]) {
  const time = new VirtualTime(0);
  const events: string[] = [];
  const log = createRecordingLog();
  let attempts = 0;
  const stopped = Promise.withResolvers<unknown>();
  let isStopHeld = false;
  const worker: PollLoop = {
    name: 'worker',
    start: () => void events.push(`start ${time.nowMilliseconds()}`),
    wake: () => undefined,
    async stop() {
      events.push(`stop ${time.nowMilliseconds()}`);
      if (isStopHeld) await stopped.promise;
    },
    report: () => ({
      steps: 0,
      failures: 0,
      consecutiveFailures: 0,
      lastFailure: undefined,
      lastSuccessAtMilliseconds: undefined,
    }),
  };
  const lock = {
    async acquire() {
      const result = results[Math.min(attempts++, results.length - 1)]!;
      if (result instanceof Error) throw result;
      return result;
    },
    release: async () => void events.push(`release ${time.nowMilliseconds()}`),
  };
  const leader = createLeaderLoop({ lock, workers: [worker], clock: time, timers: time, log });
  const holdStop = () => {
    isStopHeld = true;
    return () => stopped.resolve(undefined);
  };
  return { leader, time, events, holdStop };
}

describe('a leader loop', () => {
  it('starts its workers once after acquiring the lock', async () => {
    const { leader, time, events } = createFixture([false, false, true]);
    leader.loop.start();
    await time.advance(1_500);
    expect([leader.isLeading(), events]).toEqual([false, []]);
    await time.advance(5_000);
    expect([leader.isLeading(), events]).toEqual([true, ['start 2000']]);
    await leader.resign();
    expect([leader.isLeading(), events]).toEqual([false, ['start 2000', 'stop 6500', 'release 6500']]);
  });

  it.each([
    ['another process takes the lock', false],
    ['the lock cannot be read', new Fault('StoreUnavailable', {})],
  ])('stops its workers after %s and restarts them later', async (_, result) => {
    const { leader, time, events } = createFixture([true, result, result, true]);
    leader.loop.start();
    await time.advance(5_000);
    expect(events).toEqual(['start 0', 'stop 1000', 'start 3000']);
    await leader.resign();
  });

  it('waits for the previous workers to stop before it starts them again', async () => {
    const { leader, time, events, holdStop } = createFixture([true, false, true]);
    const letGo = holdStop();
    leader.loop.start();
    await time.advance(4_000);
    expect([leader.isLeading(), events]).toEqual([false, ['start 0', 'stop 1000']]);
    letGo();
    await time.advance(1_000);
    expect([leader.isLeading(), events]).toEqual([true, ['start 0', 'stop 1000', 'start 5000']]);
    await leader.resign();
  });
});
