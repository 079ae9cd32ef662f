/** Selects the logs of machines' events and provenance, in chain order (chain-evm 3.7, design/scoring.md). */
import type { EventLogEntry } from '../../ports/store.ts';
import type { VerifiedLog } from './block-reader.ts';

export function toEventEntries(logs: readonly VerifiedLog[]): EventLogEntry[] {
  const entries: EventLogEntry[] = [];
  for (const { event, blockNumber, blockTimestamp, logIndex, transactionHash } of logs) {
    if (event === undefined) continue;
    const entry = { ...event, blockNumber, blockTimestamp, logIndex, transactionHash };
    entries.push(entry);
  }
  return entries;
}
