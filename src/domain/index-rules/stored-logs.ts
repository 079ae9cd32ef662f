/** Comparison of the stored logs of one machine. */

/** Place of a log in the chain. */
interface LogPlace {
  readonly blockNumber: number;
  readonly logIndex: number;
}

/** Sorts in chain order. */
export function comparePlaces(a: LogPlace, b: LogPlace): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
}

/**
 * Returns a text that is equal for the same logs of one machine in one block. Their order counts and not their indexes, which
 * receipts do not commit to.
 */
export function nameLogs(logs: readonly LogPlace[]): string {
  const inOrder = logs.toSorted(comparePlaces);
  return inOrder.map((log) => nameLog({ ...log, logIndex: 0 })).join('\n');
}

/** Returns a text that is equal for equal logs of one machine. */
export function nameLog(log: LogPlace): string {
  return Object.entries(log)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .sort()
    .join();
}
