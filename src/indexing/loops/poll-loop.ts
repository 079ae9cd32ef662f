/**
 * How does an indexer keep going? One loop under all of them: a step, a pause, the next step; never two steps at once. A step
 * that fails is counted and tried again after a growing pause; a stop waits for the step that runs.
 */
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import { describeFailure } from './step-failure.ts';

/** `more`: there is work left, go on at once. `idle`: wait the interval. */
export type StepOutcome = 'more' | 'idle';

/** A step that knows better than the interval when the next is due: so long after its own beginning. */
export interface NextStep {
  readonly waitMilliseconds: number;
}

export interface PollLoopOptions {
  /** Names the loop in logs and metrics. */
  readonly name: string;
  readonly intervalMilliseconds: number;
  /** The pause after a first failure; it doubles with each further one. */
  readonly firstBackoffMilliseconds: number;
  readonly maxBackoffMilliseconds: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Should end soon, at a point where nothing is lost, once the signal is aborted. */
  readonly step: (signal: AbortSignal) => Promise<StepOutcome | NextStep>;
}

/** What operators count. */
export interface PollLoopReport {
  readonly steps: number;
  readonly failures: number;
  /** Since the last step that went well. */
  readonly consecutiveFailures: number;
  readonly lastFailure: string | undefined;
  /** Clock milliseconds at which the last good step ended. */
  readonly lastSuccessAtMilliseconds: number | undefined;
}

export interface PollLoop {
  readonly name: string;
  /** Begins with a step at once; does nothing when the loop runs. */
  start(): void;
  /** Ends the pause of a running loop; a step that is running is followed by another without a pause. */
  wake(): void;
  /** Resolves when the running step has ended. The loop can be started again. */
  stop(): Promise<void>;
  report(): PollLoopReport;
}

/** A longer wait than this is not believed. */
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

  /** Ends the pause after the running step, also before it has begun. */
  let pauseEnd = new AbortController();

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      pauseEnd = new AbortController();
      const pause = await runStep(signal);
      if (pause > 0 && !signal.aborted) await timers.wait(pause, pauseEnd.signal);
    }
  }

  /** The pause after the step. */
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
        // No clock that is set back makes a pause longer.
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
    // 2^30 first backoffs are longer than any bound; more would only lose precision.
    const backoff = options.firstBackoffMilliseconds * 2 ** Math.min(consecutiveFailures - 1, 30);
    const pauseMilliseconds = Math.max(
      Math.min(backoff, options.maxBackoffMilliseconds),
      Math.min(retryAfterMilliseconds, MAX_RETRY_AFTER_MILLISECONDS),
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
