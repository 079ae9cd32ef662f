/**
 * Classification of a failed step: a fixed reason for logs and metrics, never an SDK's text, and the pause that the
 * node requested.
 */
import { Fault } from '../../domain/faults.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { AltHistoryRejected } from '../alt/history-rejected.ts';
import { MAX_BUSY_WAIT_SECONDS } from '../alt/shared-backoff.ts';
import { IndexRefused } from './index-integrity.ts';

export interface Failure {
  readonly reason: string;
  /** Pause requested by the node, if any. */
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
  if (error instanceof ResponseRejected || error instanceof AltHistoryRejected) return error.problem;
  if (error instanceof IndexRefused) return error.refusal;
  if (error instanceof Fault) {
    const context = error.context as { readonly cause?: string };
    return context.cause === undefined ? error.kind : `${error.kind}:${context.cause}`;
  }
  // A defect of ours: the class is safe to log, its message may hold secrets.
  return error instanceof Error ? `unexpected:${error.name}` : 'unexpected';
}
