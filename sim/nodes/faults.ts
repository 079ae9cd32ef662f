/** Faults of a main-chain node with their weights. */
import { TRANSPORT_FAULTS, type TransportFault } from '../transport/faults.ts';

export const MAIN_FAULTS = {
  ...TRANSPORT_FAULTS,
  loseResponse: 2,
  repeatResponse: 2,
  splitBatch: 4,
  // Single calls.
  rivalFork: 6,
  callError: 3,
  nullBlock: 2,
  olderHead: 4,
  rangeRefusal: 3,
  noReceipts: 1,
  otherReceipts: 3,
  // Logs, alone and in receipts.
  emptyLogs: 4,
  partialLogs: 6,
  repeatedLogs: 2,
  reorderedLogs: 2,
  alienLogs: 3,
  // Contract calls.
  olderState: 3,
  newestState: 3,
  loseInner: 2,
  failInner: 2,
  emptyCall: 1,
  outOfGas: 2,
} as const;

export type Fault = keyof typeof MAIN_FAULTS | TransportFault;
