/** Why did a step fail, in one fixed word, and how long did the other side ask to be left alone? Never an SDK's text. */
import { Fault } from '../../domain/faults.ts';
import { AnswerRejected } from '../../domain/index-rules/rejected-answer.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { AltHistoryRejected } from '../alt/history-rejected.ts';
import { MAX_BUSY_WAIT_SECONDS } from '../alt/shared-backoff.ts';
import { IndexRefused } from './index-integrity.ts';

export interface Failure {
  readonly reason: string;
  /** The pause that the node asked for, if it did. */
  readonly retryAfterMilliseconds: number | undefined;
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof LogQueryRefused) {
    const { reason, retryAfterSeconds } = error;
    return { reason, retryAfterMilliseconds: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000 };
  }
  if (error instanceof AltNodeBusy) {
    const seconds = Math.min(error.retryAfterSeconds ?? 0, MAX_BUSY_WAIT_SECONDS);
    return { reason: 'node-busy', retryAfterMilliseconds: seconds * 1000 };
  }
  return { reason: nameReason(error), retryAfterMilliseconds: undefined };
}

function nameReason(error: unknown): string {
  if (error instanceof AnswerRejected || error instanceof AltHistoryRejected) return error.problem;
  if (error instanceof IndexRefused) return error.refusal;
  if (error instanceof Fault) {
    const context = error.context as { readonly cause?: string };
    return context.cause === undefined ? error.kind : `${error.kind}:${context.cause}`;
  }
  // A defect of ours: the class tells something, its text might tell too much.
  return error instanceof Error ? `unexpected:${error.name}` : 'unexpected';
}
