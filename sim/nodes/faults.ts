/** What can a node of the main chain get wrong? */
import { WHOLE_FAULTS, type WholeFault } from '../transport/faults.ts';

export const MAIN_FAULTS = {
  ...WHOLE_FAULTS,
  loseAnswer: 2,
  repeatAnswer: 2,
  splitBatch: 4,
  // Single calls.
  rivalFork: 6,
  callError: 3,
  nullBlock: 2,
  olderHead: 4,
  rangeRefusal: 3,
  noReceipts: 1,
  otherReceipts: 3,
  // Logs, by themselves and in receipts.
  emptyLogs: 4,
  partialLogs: 6,
  repeatedLogs: 2,
  reorderedLogs: 2,
  alienLogs: 3,
  // Calls of contracts.
  olderState: 3,
  newestState: 3,
  loseInner: 2,
  failInner: 2,
  emptyCall: 1,
  outOfGas: 2,
} as const;

export type Fault = keyof typeof MAIN_FAULTS | WholeFault;
