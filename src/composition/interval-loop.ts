/** Loop that repeats its work at a fixed interval, whether it succeeds or fails. */
import { createPollLoop, type PollLoop } from '../indexing/loops/poll-loop.ts';
import type { Log } from '../ports/runtime.ts';
import { CLOCK, TIMERS } from './process-time.ts';

export interface IntervalWork {
  /** Identifies the loop in logs and metrics. */
  readonly name: string;
  readonly intervalMilliseconds: number;
  readonly log: Log;
  readonly work: () => Promise<unknown>;
}

export function createIntervalLoop({ name, intervalMilliseconds, log, work }: IntervalWork): PollLoop {
  return createPollLoop({
    name,
    intervalMilliseconds,
    firstBackoffMilliseconds: intervalMilliseconds,
    maxBackoffMilliseconds: intervalMilliseconds,
    clock: CLOCK,
    timers: TIMERS,
    log,
    step: async () => {
      await work();
      return 'idle';
    },
  });
}
