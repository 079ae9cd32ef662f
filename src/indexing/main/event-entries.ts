/** Selects the event logs of machines: those of the event registries, in chain order (chain-evm 3.7). */
import type { EventLogEntry } from '../../ports/store.ts';
import type { VerifiedLog } from './block-reader.ts';

export function toEventEntries(logs: readonly VerifiedLog[]): EventLogEntry[] {
  const entries: EventLogEntry[] = [];
  for (const { event, blockNumber, blockTimestamp, logIndex } of logs) {
    if (event === undefined) continue;
    const entry = { ...event, blockNumber, blockTimestamp, logIndex };
    entries.push(entry);
  }
  return entries;
}
