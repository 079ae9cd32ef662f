/** When the deployment of the alt chain is checked again. */
import { expect, it } from 'vitest';
import { createRecordingLog } from '../../testing/fakes/recording-log.ts';
import { VirtualTime } from '../../testing/fakes/virtual-time.ts';
import type { DeploymentProblem } from '../adapters/rpc/deployment-problem.ts';
import { createDeploymentCheckLoop } from './deployment-check-loop.ts';

const UNREAD: DeploymentProblem = { kind: 'unreadable-account', variable: 'ALT_INFO_DESK_PROGRAM' };
const MINUTE = 60_000;

async function open(results: readonly (readonly DeploymentProblem[])[]) {
  const time = new VirtualTime();
  const log = createRecordingLog();
  const startedAt = time.nowMilliseconds();
  const checkedAtSeconds: number[] = [];
  const loop = createDeploymentCheckLoop({
    clock: time,
    timers: time,
    log,
    chain: {
      async checkDeployment() {
        checkedAtSeconds.push((time.nowMilliseconds() - startedAt) / 1000);
        return results[Math.min(checkedAtSeconds.length, results.length) - 1]!;
      },
    },
  });
  loop.start();
  return { time, log, loop, checkedAtSeconds };
}

it('checks every ten minutes while no problem is found', async () => {
  const { time, loop, checkedAtSeconds } = await open([[]]);
  await time.advance(20 * MINUTE);
  expect(checkedAtSeconds).toEqual([0, 600, 1_200]);
  await loop.stop();
});

it('repeats a check that finds a problem after five seconds, and logs the problem', async () => {
  const { time, log, loop, checkedAtSeconds } = await open([[], [UNREAD], []]);
  await time.advance(21 * MINUTE);
  expect(checkedAtSeconds).toEqual([0, 600, 605, 1_205]);
  expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({ fields: { problem: 'ALT_INFO_DESK_PROGRAM: its account cannot be read' } }),
  ]);
  await loop.stop();
});

it('doubles the pause up to ten minutes while the problem lasts, and starts again after a check without one', async () => {
  const lasting = Array.from({ length: 10 }, () => [UNREAD]);
  const { time, loop, checkedAtSeconds } = await open([...lasting, [], [UNREAD], []]);
  await time.advance(60 * MINUTE);
  const pauses = checkedAtSeconds.slice(1).map((seconds, i) => seconds - checkedAtSeconds[i]!);
  expect(pauses.slice(0, 12)).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600, 5]);
  await loop.stop();
});
