/**
 * Poll loop that every indexer runs on: a step, a pause, the next step, and never two steps at once. A failed step is
 * counted and repeated after an exponential backoff. Stopping waits for the running step.
 */
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import { describeFailure } from './step-failure.ts';

/** `more`: work is left, continue at once. `idle`: wait for the interval. */
export type StepOutcome = 'more' | 'idle';

/** Outcome of a step that schedules the next one itself, measured from its own start. */
export interface NextStep {
  readonly waitMilliseconds: number;
}

export interface PollLoopOptions {
  /** Identifies the loop in logs and metrics. */
  readonly name: string;
  readonly intervalMilliseconds: number;
  /** Pause after the first failure; it doubles with each further one. */
  readonly firstBackoffMilliseconds: number;
  readonly maxBackoffMilliseconds: number;
  /** Longest delay named by a node that the loop waits for; absent: ten minutes. */
  readonly maxRetryAfterMilliseconds?: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Should end soon after the signal is aborted, at a point where no work is lost. */
  readonly step: (signal: AbortSignal) => Promise<StepOutcome | NextStep>;
}

/** Counters for operators. */
export interface PollLoopReport {
  readonly steps: number;
  readonly failures: number;
  /** Failures since the last successful step. */
  readonly consecutiveFailures: number;
  readonly lastFailure: string | undefined;
  /** Clock milliseconds at which the last successful step ended. */
  readonly lastSuccessAtMilliseconds: number | undefined;
}

export interface PollLoop {
  readonly name: string;
  /** Starts with a step at once; does nothing while the loop is running. */
  start(): void;
  /** Ends the current pause. A step that is running is followed by another without a pause. */
  wake(): void;
  /** Resolves after the running step has ended. The loop can be started again. */
  stop(): Promise<void>;
  report(): PollLoopReport;
}

/** Upper bound for a pause that a node requests. */
const MAX_RETRY_AFTER_MILLISECONDS = 600_000;

export function createPollLoop(options: PollLoopOptions): PollLoop {
  const { name, clock, timers, log } = options;
  let running: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  let counts: PollLoopReport = {
    steps: 0,
    failures: 0,
    consecutiveFailures: 0,
    lastFailure: undefined,
    lastSuccessAtMilliseconds: undefined,
  };

  /** Ends the pause after the running step, even before it has begun. */
  let pauseEnd = new AbortController();

  async function run(signal: AbortSignal): Promise<void> {
    const isStopped = () => signal.aborted;
    while (!isStopped()) {
      pauseEnd = new AbortController();
      const pause = await runStep(signal);
      if (pause > 0 && !isStopped()) await timers.wait(pause, pauseEnd.signal);
    }
  }

  /** Returns the pause after the step. */
  async function runStep(signal: AbortSignal): Promise<number> {
    const startedAtMilliseconds = clock.nowMilliseconds();
    try {
      const outcome = await options.step(signal);
      counts = {
        ...counts,
        steps: counts.steps + 1,
        consecutiveFailures: 0,
        lastSuccessAtMilliseconds: clock.nowMilliseconds(),
      };
      if (typeof outcome === 'object') {
        const left = outcome.waitMilliseconds - (clock.nowMilliseconds() - startedAtMilliseconds);
        // A clock that was set back must not make the pause longer.
        return Math.min(Math.max(left, 0), outcome.waitMilliseconds);
      }
      return outcome === 'more' ? 0 : options.intervalMilliseconds;
    } catch (error) {
      return countFailure(error);
    }
  }

  function countFailure(error: unknown): number {
    const { reason, retryAfterMilliseconds = 0 } = describeFailure(error);
    const consecutiveFailures = counts.consecutiveFailures + 1;
    counts = {
      ...counts,
      steps: counts.steps + 1,
      failures: counts.failures + 1,
      consecutiveFailures,
      lastFailure: reason,
    };
    // Larger exponents would only lose precision; 2^30 backoffs exceed any bound.
    const backoff = options.firstBackoffMilliseconds * 2 ** Math.min(consecutiveFailures - 1, 30);
    const pauseMilliseconds = Math.max(
      Math.min(backoff, options.maxBackoffMilliseconds),
      Math.min(retryAfterMilliseconds, options.maxRetryAfterMilliseconds ?? MAX_RETRY_AFTER_MILLISECONDS),
    );
    log.warn({ loop: name, reason, consecutiveFailures, pauseMilliseconds }, 'step failed');
    return pauseMilliseconds;
  }

  return {
    name,
    start() {
      if (running !== undefined) return;
      const abort = new AbortController();
      running = { abort, ended: run(abort.signal) };
    },
    wake() {
      pauseEnd.abort();
    },
    async stop() {
      const stopping = running;
      if (stopping === undefined) return;
      stopping.abort.abort();
      pauseEnd.abort();
      await stopping.ended;
      if (running === stopping) running = undefined;
    },
    report: () => counts,
  };
}
