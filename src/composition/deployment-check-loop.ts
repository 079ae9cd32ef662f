/**
 * Periodic deployment check of the alt chain (chain-svm 5). A check that finds a problem is repeated after seconds: one odd response, or a
 * deployment that is correct again, must not last until the next regular check.
 */
import { formatDeploymentProblem } from '../adapters/rpc/deployment-problem.ts';
import { createPollLoop, type PollLoop, type PollLoopOptions } from '../indexing/loops/poll-loop.ts';
import type { CheckableChain } from './deployment-contradictions.ts';

const INTERVAL_MILLISECONDS = 600_000;
/** Pause after a check that finds a problem; it doubles with each further one. */
const FIRST_PAUSE_MILLISECONDS = 5_000;

export interface DeploymentCheckOptions extends Pick<PollLoopOptions, 'clock' | 'timers' | 'log'> {
  readonly chain: CheckableChain;
}

export function createDeploymentCheckLoop({ chain, log, ...time }: DeploymentCheckOptions): PollLoop {
  let pauseMilliseconds = FIRST_PAUSE_MILLISECONDS;
  return createPollLoop({
    ...time,
    log,
    name: 'alt-chain-checks',
    intervalMilliseconds: INTERVAL_MILLISECONDS,
    firstBackoffMilliseconds: INTERVAL_MILLISECONDS,
    maxBackoffMilliseconds: INTERVAL_MILLISECONDS,
    step: async () => {
      const problems = await chain.checkDeployment();
      for (const problem of problems) log.warn({ problem: formatDeploymentProblem(problem) }, 'deployment check');
      if (problems.length === 0) {
        pauseMilliseconds = FIRST_PAUSE_MILLISECONDS;
        return 'idle';
      }
      const waitMilliseconds = pauseMilliseconds;
      pauseMilliseconds = Math.min(2 * pauseMilliseconds, INTERVAL_MILLISECONDS);
      return { waitMilliseconds };
    },
  });
}
