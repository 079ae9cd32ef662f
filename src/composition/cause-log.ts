/**
 * Log of the causes that only `/status` finds, such as an unusable clock or refused machines. Loops log those of their own
 * steps themselves (`indexing/loops/lasting-causes.ts`).
 */
import type { ExplainedCause } from '../domain/index-rules/index-cause.ts';
import { logCause } from '../indexing/loops/lasting-causes.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { Log } from '../ports/runtime.ts';
import { createIntervalLoop } from './interval-loop.ts';

/** Returns the causes that no loop logs. */
type FindCauses = () => Promise<readonly ExplainedCause[]>;

const INTERVAL_MILLISECONDS = 60_000;

export function createCauseLog(log: Log, find: FindCauses): PollLoop {
  const work = createCauseReport(log, find);
  return createIntervalLoop({ name: 'causes', intervalMilliseconds: INTERVAL_MILLISECONDS, log, work });
}

/** Returns a function that logs the causes that it finds for the second time in a row: those of a start or of a moment need no operator. */
export function createCauseReport(log: Log, find: FindCauses): () => Promise<void> {
  let earlier: ReadonlySet<string> = new Set();
  return async () => {
    const causes = await find();
    for (const cause of causes) if (earlier.has(cause.kind)) logCause(log, cause);
    earlier = new Set(causes.map(({ kind }) => kind));
  };
}
