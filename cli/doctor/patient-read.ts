/** Reads that are as patient with the nodes as the indexes. */
import type { PlainIndexCause } from '../../src/domain/index-rules/index-cause.ts';
import { findCauseOfFailure, type ReadKind } from '../../src/indexing/main/cause-of-failure.ts';
import { repeatTransient } from './repeat-transient.ts';

/** Cause of a failed read. `pauseMilliseconds` is as `repeatTransient` says. */
interface FailedRead {
  readonly cause: PlainIndexCause;
  readonly pauseMilliseconds: number | undefined;
}

const TRANSIENT: readonly PlainIndexCause[] = ['rate-limited', 'node-unreachable', 'answers-malformed'];

export type PatientRead<T> = { readonly value: T } | { readonly cause: PlainIndexCause };

/** Reads from the main chain. Returns what was read, or the cause that still fails it after several attempts. Throws errors without a cause. */
export function readPatiently<T>(read: () => Promise<T>, kind: ReadKind): Promise<PatientRead<T>> {
  return repeatRead(read, (error) => {
    const cause = findCauseOfFailure(error, kind);
    return cause && { cause, pauseMilliseconds: TRANSIENT.includes(cause) ? 0 : undefined };
  });
}

/** The same for any chain; `judge` returns undefined for an error without a cause. */
export function repeatRead<T>(
  read: () => Promise<T>,
  judge: (error: unknown) => FailedRead | undefined,
): Promise<PatientRead<T>> {
  return repeatTransient<{ readonly value: T } | FailedRead>(
    async () => {
      try {
        return { value: await read() };
      } catch (error) {
        const failed = judge(error);
        if (failed === undefined) throw error;
        return failed;
      }
    },
    (outcome) => ('value' in outcome ? undefined : outcome.pauseMilliseconds),
  );
}
