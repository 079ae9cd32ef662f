/** Failures that a read of the chain may have: what is not one of them is a defect of ours. */
import { Fault } from '../../domain/faults.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';

export function isReadFailure(error: unknown): error is Fault | LogQueryRefused | ResponseRejected {
  return error instanceof Fault || error instanceof LogQueryRefused || error instanceof ResponseRejected;
}

/** Returns whether the node refused the query for its rate, which says nothing about the queried blocks. */
export function isRateRefusal(error: unknown): boolean {
  return error instanceof LogQueryRefused && (error.reason === 'rate-limited' || error.reason === 'calls-used-up');
}
