/** What is wrong with a node's answer about the alt chain's history? Fixed words, so that logs and metrics can count them. */

export type AltHistoryProblem =
  | 'history-pruned' // the node's first block is later than the first slot of the deployment
  | 'done-not-met' // the list ends, or goes on below it, without the newest signature that is applied
  | 'repeated-page' // a page that does not lead on
  | 'out-of-order' // a page whose slots rise, or are above the row it was asked to begin after
  | 'node-behind' // a slot before the one that all is applied as of
  | 'missing-transaction' // a listed transaction that the node does not have
  | 'not-in-block'; // a listed transaction that its block does not hold

/** Says that an answer cannot be true, or not be the whole truth. Nothing of it was taken over; another attempt may be answered better. */
export class AltHistoryRejected extends Error {
  readonly problem: AltHistoryProblem;

  constructor(problem: AltHistoryProblem) {
    super(problem);
    this.name = 'AltHistoryRejected';
    this.problem = problem;
  }
}
