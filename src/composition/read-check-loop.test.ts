/** When reads of the alt chain are checked again, and what a failure is named. */
import { expect, it } from 'vitest';
import { createRecordingLog } from '../../testing/fakes/recording-log.ts';
import { VirtualTime } from '../../testing/fakes/virtual-time.ts';
import { chainUnreadable, type UnreadableCause } from '../domain/faults.ts';
import { createLastingCauses } from '../indexing/loops/lasting-causes.ts';
import { createReadCheckLoop } from './read-check-loop.ts';

/** Starts the loop over a chain that fails for this cause while there is one. */
function open() {
  const time = new VirtualTime();
  const log = createRecordingLog();
  const startedAt = time.nowMilliseconds();
  const checkedAtSeconds: number[] = [];
  const failing: { cause?: UnreadableCause | undefined } = {};
  const causes = createLastingCauses({ clock: time, log, pollIntervalMilliseconds: 60_000 });
  const loop = createReadCheckLoop({
    ...{ causes, clock: time, timers: time, log },
    machines: {
      async checkReadable() {
        checkedAtSeconds.push((time.nowMilliseconds() - startedAt) / 1000);
        if (failing.cause !== undefined) throw chainUnreadable('alt', failing.cause);
      },
    },
  });
  loop.start();
  return { time, failing, loop, checkedAtSeconds, kinds: () => causes.list().map(({ kind }) => kind) };
}

it('checks every 20 seconds, and soon after a failure', async () => {
  const { time, failing, loop, checkedAtSeconds } = open();
  await time.advance(30_000);
  failing.cause = 'transport';
  await time.advance(28_000);
  failing.cause = undefined;
  await time.advance(30_000);
  expect(checkedAtSeconds).toEqual([0, 20, 40, 41, 43, 47, 52, 57, 62, 82]);
  await loop.stop();
});

it.each<[UnreadableCause, string]>([
  ['transport', 'alt-node-unreachable'],
  ['deadline', 'alt-node-unreachable'],
  ['block-mismatch', 'alt-node-behind'],
  ['rate-limited', 'alt-rate-limited'],
  ['wrong-chain', 'alt-wrong-chain'],
  ['wrong-deployment', 'alt-other-deployment'],
])('names a failure by %s as %s until a check succeeds', async (cause, expected) => {
  const { time, failing, loop, kinds } = open();
  failing.cause = cause;
  await time.advance(20_000);
  expect(kinds()).toEqual([expected]);
  failing.cause = undefined;
  await time.advance(5_000);
  expect(kinds()).toEqual([]);
  await loop.stop();
});
