/**
 * Does this process follow the chains? It does while it holds the leader's lock, which it asks for again and again; its workers run then, and
 * only then. A database that cannot be asked may have given the lock to another, so the workers stop.
 */
import type { Clock, LeaderLock, Log, Timers } from '../../ports/runtime.ts';
import { createPollLoop, type PollLoop, type StepOutcome } from './poll-loop.ts';

export interface LeaderLoopOptions {
  readonly lock: LeaderLock;
  /** Started and stopped here alone. */
  readonly workers: readonly PollLoop[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface LeaderLoop {
  readonly loop: PollLoop;
  readonly isLeading: () => boolean;
  /** Ends the loop and the workers, then gives the lock to whoever asks next. */
  resign(): Promise<void>;
}

/** How long a dead leader is missed, after the server has seen it go. */
const ASKING_MILLISECONDS = 1_000;

export function createLeaderLoop({ lock, workers, clock, timers, log }: LeaderLoopOptions): LeaderLoop {
  let isLeading = false;
  /** The workers of an earlier time; they start again when all have stopped. */
  let stopping: Promise<unknown> | undefined;

  function lead(): void {
    if (isLeading || stopping !== undefined) return;
    isLeading = true;
    for (const worker of workers) worker.start();
    log.info({}, 'this process follows the chains');
  }

  function follow(): void {
    if (!isLeading) return;
    isLeading = false;
    stopping = Promise.all(workers.map((worker) => worker.stop())).finally(() => (stopping = undefined));
    log.warn({}, 'this process no longer follows the chains');
  }

  async function step(): Promise<StepOutcome> {
    try {
      if (await lock.hold()) lead();
      else follow();
    } catch (error) {
      follow();
      throw error;
    }
    return 'idle';
  }

  const loop = createPollLoop({
    name: 'leader',
    intervalMilliseconds: ASKING_MILLISECONDS,
    firstBackoffMilliseconds: ASKING_MILLISECONDS,
    maxBackoffMilliseconds: ASKING_MILLISECONDS,
    clock,
    timers,
    log,
    step,
  });

  return {
    loop,
    isLeading: () => isLeading,
    async resign() {
      await loop.stop();
      isLeading = false;
      await Promise.all(workers.map((worker) => worker.stop()));
      await lock.release();
    },
  };
}
