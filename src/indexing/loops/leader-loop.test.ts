import { describe, expect, it } from 'vitest';
import { Fault } from '../../domain/faults.ts';
import { createKeptLog } from '../../../testing/fakes/recording-log.ts';
import { createLeaderLoop } from './leader-loop.ts';
import type { PollLoop } from './poll-loop.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';

/** Answers of the lock, one a second; the last one stays. */
function createScene(answers: readonly (boolean | Error)[]) {
  const time = new VirtualTime(0);
  const events: string[] = [];
  const log = createKeptLog();
  let asked = 0;
  const stopped = Promise.withResolvers<unknown>();
  let holdsBack = false;
  const worker: PollLoop = {
    name: 'worker',
    start: () => void events.push(`start ${time.nowMilliseconds()}`),
    wake: () => undefined,
    async stop() {
      events.push(`stop ${time.nowMilliseconds()}`);
      if (holdsBack) await stopped.promise;
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
    async hold() {
      const answer = answers[Math.min(asked++, answers.length - 1)]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    release: async () => void events.push(`release ${time.nowMilliseconds()}`),
  };
  const leader = createLeaderLoop({ lock, workers: [worker], clock: time, timers: time, log });
  const holdBack = () => {
    holdsBack = true;
    return () => stopped.resolve(undefined);
  };
  return { leader, time, events, holdBack };
}

describe('a leader', () => {
  it('starts its workers once, when it gets the lock', async () => {
    const { leader, time, events } = createScene([false, false, true]);
    leader.loop.start();
    await time.advance(1_500);
    expect([leader.isLeading(), events]).toEqual([false, []]);
    await time.advance(5_000);
    expect([leader.isLeading(), events]).toEqual([true, ['start 2000']]);
    await leader.resign();
    expect([leader.isLeading(), events]).toEqual([false, ['start 2000', 'stop 6500', 'release 6500']]);
  });

  it.each([
    ['another has the lock', false],
    ['nobody knows who has it', new Fault('StoreUnavailable', {})],
  ])('stops its workers when %s, and starts them again', async (_, answer) => {
    const { leader, time, events } = createScene([true, answer, answer, true]);
    leader.loop.start();
    await time.advance(5_000);
    expect(events).toEqual(['start 0', 'stop 1000', 'start 3000']);
    await leader.resign();
  });

  it('waits for workers of an earlier time before it starts them again', async () => {
    const { leader, time, events, holdBack } = createScene([true, false, true]);
    const letGo = holdBack();
    leader.loop.start();
    await time.advance(4_000);
    expect([leader.isLeading(), events]).toEqual([false, ['start 0', 'stop 1000']]);
    letGo();
    await time.advance(1_000);
    expect([leader.isLeading(), events]).toEqual([true, ['start 0', 'stop 1000', 'start 5000']]);
    await leader.resign();
  });
});
