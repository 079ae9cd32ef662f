/** What is wrong with a node's answer about blocks and logs? Fixed words, so that logs and metrics can count them. */

export type AnswerProblem =
  | 'missing-header' // not the headers that were asked for
  | 'broken-link' // a header whose parent is not the block before it
  | 'foreign-address' // a log of a contract that was not asked for
  | 'out-of-range' // a log of a block that was not asked for
  | 'out-of-order' // logs not strictly ascending; the same log twice is one such case
  | 'hash-mismatch' // a log, or a header, of another block than the one at its height
  | 'time-mismatch' // a log whose block time is not that of its block
  | 'not-in-bloom' // a log that its block's bloom denies
  | 'withheld-logs' // a block that logged more than the node told
  | 'foreign-machine' // a log of another machine than the one asked for
  | 'head-behind'; // a newest block that is older than blocks which are final

/** Says that an answer cannot be true as it stands. Nothing of it was taken over; another attempt may be answered better. */
export class AnswerRejected extends Error {
  readonly problem: AnswerProblem;

  constructor(problem: AnswerProblem) {
    super(problem);
    this.name = 'AnswerRejected';
    this.problem = problem;
  }
}
