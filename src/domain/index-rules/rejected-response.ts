/** Reasons to reject a node's response about blocks and logs. The values are fixed, so that logs and metrics can count them. */

export type ResponseProblem =
  | 'missing-header' // not the requested headers
  | 'broken-link' // a header whose parent is not the block before it
  | 'foreign-address' // a log of a contract that was not requested
  | 'out-of-range' // a log of a block that was not requested
  | 'out-of-order' // logs not strictly ascending; the same log twice is one such case
  | 'hash-mismatch' // a log, or a header, of another block than the one at its height
  | 'time-mismatch' // a log whose block time is not that of its block
  | 'not-in-bloom' // a log that its block's bloom excludes
  | 'withheld-logs' // a block with more logs than the node returned
  | 'unproven-receipts' // receipts that do not match the headers, where nothing else is accepted
  | 'foreign-machine' // a log of another machine than the requested one
  | 'too-many-logs' // more logs of one machine than are read at once
  | 'head-behind'; // a newest block older than blocks that are already final

/** Reports an invalid response. Nothing of it was stored; another attempt may succeed. */
export class ResponseRejected extends Error {
  readonly problem: ResponseProblem;

  constructor(problem: ResponseProblem) {
    super(problem);
    this.name = 'ResponseRejected';
    this.problem = problem;
  }
}
