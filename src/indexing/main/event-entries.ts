/** Selects the logs that later reads need, in chain order: events of machines (chain-evm 3.7), and logs of their provenance and other facts (design/scoring.md). */
import type { EventLogEntry } from '../../ports/store.ts';
import type { VerifiedLog } from './verified-log.ts';

export function toEventEntries(logs: readonly VerifiedLog[]): EventLogEntry[] {
  const entries: EventLogEntry[] = [];
  for (const log of logs) {
    const { event, registry, blockNumber, blockTimestamp, logIndex, transactionHash } = log;
    const place = { blockNumber, blockTimestamp, logIndex };
    if (event?.kind === 'imported') entries.push({ ...event, blockNumber, logIndex });
    else if (event !== undefined) entries.push({ ...event, ...place });
    else if (registry?.kind === 'chip-attested' || registry?.kind === 'chip-revoked')
      entries.push({ ...registry, generation: 'current', blockNumber, logIndex });
    else if (registry !== undefined) entries.push({ ...registry, generation: 'current', ...place, transactionHash });
  }
  return entries;
}
