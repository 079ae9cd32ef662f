/**
 * Leader election loop. It polls for the leader lock and runs the chain workers only while this process holds it. When
 * the database is unreachable another process may hold the lock, so the workers stop.
 */
import type { Clock, LeaderLock, Log, Timers } from '../../ports/runtime.ts';
import { createPollLoop, type PollLoop, type StepOutcome } from './poll-loop.ts';

export interface LeaderLoopOptions {
  readonly lock: LeaderLock;
  /** Started and stopped only by this loop. */
  readonly workers: readonly PollLoop[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface LeaderLoop {
  readonly loop: PollLoop;
  readonly isLeading: () => boolean;
  /** Stops the loop and the workers, then releases the lock. */
  resign(): Promise<void>;
}

/**
 * Interval between attempts to acquire or confirm the lock; bounds the takeover delay once the server drops a dead
 * leader.
 */
const LOCK_INTERVAL_MILLISECONDS = 1_000;

export function createLeaderLoop({ lock, workers, clock, timers, log }: LeaderLoopOptions): LeaderLoop {
  let isLeading = false;
  /** Pending stop of the previous workers; they start again only after it settles. */
  let stopping: Promise<unknown> | undefined;

  function lead(): void {
    if (isLeading || stopping !== undefined) return;
    isLeading = true;
    for (const worker of workers) worker.start();
    log.info({}, 'this process became the leader and follows the chains');
  }

  function follow(): void {
    if (!isLeading) return;
    isLeading = false;
    stopping = Promise.all(workers.map((worker) => worker.stop())).finally(() => (stopping = undefined));
    log.warn({}, 'this process is no longer the leader');
  }

  async function step(): Promise<StepOutcome> {
    try {
      if (await lock.acquire()) lead();
      else follow();
    } catch (error) {
      follow();
      throw error;
    }
    return 'idle';
  }

  const loop = createPollLoop({
    name: 'leader',
    intervalMilliseconds: LOCK_INTERVAL_MILLISECONDS,
    firstBackoffMilliseconds: LOCK_INTERVAL_MILLISECONDS,
    maxBackoffMilliseconds: LOCK_INTERVAL_MILLISECONDS,
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
