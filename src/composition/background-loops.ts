/** Starts the loops of this process: its own loops always, and those that follow the chains while it is the leader. */
import { createLeaderLock } from '../adapters/sql/leader-lock.ts';
import type { Config } from '../config.ts';
import { createLeaderLoop } from '../indexing/loops/leader-loop.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { Log } from '../ports/runtime.ts';
import { waitForLoops, type Shutdown } from './shutdown.ts';
import { CLOCK, TIMERS } from './process-time.ts';

export interface LoopParts {
  readonly config: Config;
  readonly log: Log;
  readonly shutdown: Shutdown;
  readonly reportFailure: (code: string) => void;
  /** Run in every process. */
  readonly own: readonly PollLoop[];
  /** Run in the leader. */
  readonly workers: readonly PollLoop[];
  /** Called before the loops are stopped. */
  readonly drain: () => void;
}

export interface RunningLoops {
  readonly all: readonly PollLoop[];
  isLeading(): boolean;
}

export function startLoops({ config, log, shutdown, reportFailure, own, workers, drain }: LoopParts): RunningLoops {
  const lock = createLeaderLock(config.database, reportFailure);
  const leader = createLeaderLoop({ lock, workers, clock: CLOCK, timers: TIMERS, log });
  const loops = workers.length === 0 ? own : [...own, leader.loop];
  shutdown.add(() => {
    drain();
    return waitForLoops(Promise.all([leader.resign(), ...loops.map((loop) => loop.stop())]));
  });
  for (const loop of loops) loop.start();
  return { all: [...loops, ...workers], isLeading: leader.isLeading };
}
