/** Faults of an alt-chain node with their weights (chain-svm 6 to 8). */
import { TRANSPORT_FAULTS, type TransportFault } from '../transport/faults.ts';

export const ALT_FAULTS = {
  ...TRANSPORT_FAULTS,
  callError: 3,
  // Stale or missing data.
  staleSlot: 5,
  nullTransaction: 5,
  nullLogs: 5,
  alienTransaction: 3,
  // Lists.
  omitRows: 5,
  repeatRow: 3,
  reorderRows: 2,
  unknownBefore: 5,
  untimedRows: 3,
  noBlockTime: 2,
  // Accounts.
  malformedAccount: 6,
  wrongOwner: 3,
  otherMachine: 3,
  missingAccount: 2,
} as const;

export type AltFault = keyof typeof ALT_FAULTS | TransportFault;
