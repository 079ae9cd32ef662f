/** Errors in a node's response about the alt chain's history, as fixed words that logs and metrics can count. */
import { Fault } from '../../domain/faults.ts';

export type AltHistoryProblem =
  | 'history-pruned' // the node's first block is later than the first slot of the deployment
  | 'done-not-met' // the list ends or continues below the newest applied signature without containing it
  | 'repeated-page' // the page repeats the previous one
  | 'out-of-order' // slots rise within the page, or are above the row it starts after
  | 'too-many-in-slot' // the list has more rows of one slot than any block
  | 'node-behind' // the slot is before the one that is applied
  | 'missing-transaction' // the node does not have a listed transaction
  | 'not-in-block' // the block does not contain a listed transaction
  | 'known-not-listed' // the machine's own list ends without a transaction that the index has
  | 'too-many-operations'; // the machine has more of them than are merged as a whole

/** Rejects a response that cannot be true or complete. Nothing of it is stored; a later response may be valid. */
export class AltHistoryRejected extends Error {
  readonly problem: AltHistoryProblem;

  constructor(problem: AltHistoryProblem) {
    super(problem);
    this.name = 'AltHistoryRejected';
    this.problem = problem;
  }
}

/** Returns whether the error concerns one response: the same node may answer other requests. */
export function concernsOneResponse(error: unknown): error is Error {
  if (error instanceof AltHistoryRejected) return true;
  if (!(error instanceof Fault) || error.kind !== 'ChainUnreadable') return false;
  const { cause } = error.context;
  return cause === 'rpc-error' || cause === 'malformed' || cause === 'undecodable';
}
