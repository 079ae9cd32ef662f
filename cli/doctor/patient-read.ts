/** Reads of the main chain that are as patient with its nodes as the index. */
import type { PlainIndexCause } from '../../src/domain/index-rules/index-cause.ts';
import { findCauseOfFailure, type ReadKind } from '../../src/indexing/main/cause-of-failure.ts';
import { repeatTransient } from './repeat-transient.ts';

const TRANSIENT: readonly PlainIndexCause[] = ['rate-limited', 'node-unreachable', 'answers-malformed'];

export type PatientRead<T> = { readonly value: T } | { readonly cause: PlainIndexCause };

/** Returns what was read, or the cause that still fails it after several attempts. Throws errors without a cause. */
export function readPatiently<T>(read: () => Promise<T>, kind: ReadKind): Promise<PatientRead<T>> {
  return repeatTransient<PatientRead<T>>(
    async () => {
      try {
        return { value: await read() };
      } catch (error) {
        const cause = findCauseOfFailure(error, kind);
        if (cause === undefined) throw error;
        return { cause };
      }
    },
    (outcome) => ('cause' in outcome && TRANSIENT.includes(outcome.cause) ? 0 : undefined),
  );
}
