/**
 * Causes that stop or slow loops while they last, for the log and `/status`. A failed step of a loop is a cause until a
 * step of the same loop succeeds.
 */
import { explainCause, type ExplainedCause, type IndexCause } from '../../domain/index-rules/index-cause.ts';
import { MAX_UNSEEN_INTERVALS } from '../../domain/index-rules/index-freshness.ts';
import type { Clock, Log } from '../../ports/runtime.ts';

export interface LastingCausesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly pollIntervalMilliseconds: number;
  /** Returns causes that are measured, not caused by a failure. */
  readonly listMeasured?: () => readonly IndexCause[];
}

export interface LastingCauses {
  /** Runs a step of a loop, and records the cause of its failure; undefined: the failure has none. */
  observe<T>(loop: string, step: () => Promise<T>, findCause: (error: unknown) => IndexCause | undefined): Promise<T>;
  /** Records the cause of a loop's last step; undefined: there is none. */
  record(loop: string, cause: IndexCause | undefined): void;
  /** Returns whether something recorded at this time still counts. */
  isRecent(atMilliseconds: number): boolean;
  /** Returns what lasts now, each cause once. */
  list(): readonly ExplainedCause[];
}

/** A cause that lasts is logged again after this time. */
const LOG_INTERVAL_MILLISECONDS = 60_000;
/** Time after which a cause that no step confirmed is dropped: the loop may run in another process now. */
const EXPIRY_MILLISECONDS = 900_000;

export function logCause(log: Log, { kind, subject, text, remedy }: ExplainedCause): void {
  log.warn({ cause: kind, subject, remedy }, text);
}

export function createLastingCauses(options: LastingCausesOptions): LastingCauses {
  const { clock, log, pollIntervalMilliseconds, listMeasured = () => [] } = options;
  const expiryMilliseconds = Math.max(EXPIRY_MILLISECONDS, MAX_UNSEEN_INTERVALS * pollIntervalMilliseconds);
  const recorded = new Map<string, { readonly cause: IndexCause; readonly atMilliseconds: number }>();
  const loggedAt = new Map<IndexCause['kind'], number>();

  function isRecent(atMilliseconds: number): boolean {
    return clock.nowMilliseconds() - atMilliseconds <= expiryMilliseconds;
  }

  function list(): readonly ExplainedCause[] {
    const recent = [...recorded.values()].filter(({ atMilliseconds }) => isRecent(atMilliseconds));
    const causes = [...recent.map(({ cause }) => cause), ...listMeasured()].map(explainCause);
    return [...new Map(causes.map((cause) => [cause.kind, cause])).values()];
  }

  function logLasting(): void {
    const now = clock.nowMilliseconds();
    const causes = list();
    for (const kind of loggedAt.keys()) if (!causes.some((cause) => cause.kind === kind)) loggedAt.delete(kind);
    for (const cause of causes) {
      if (now - (loggedAt.get(cause.kind) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MILLISECONDS) continue;
      loggedAt.set(cause.kind, now);
      logCause(log, cause);
    }
  }

  function record(loop: string, cause: IndexCause | undefined): void {
    if (cause === undefined) recorded.delete(loop);
    else recorded.set(loop, { cause, atMilliseconds: clock.nowMilliseconds() });
    logLasting();
  }

  return {
    async observe(loop, step, findCause) {
      try {
        const outcome = await step();
        record(loop, undefined);
        return outcome;
      } catch (error) {
        record(loop, findCause(error));
        throw error;
      }
    },
    record,
    isRecent,
    list,
  };
}
