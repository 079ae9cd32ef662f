/** Selects the logs that later reads need, in chain order: events of machines (chain-evm 3.7), and logs of their provenance and other facts (design/scoring.md). */
import type { ChainLog } from '../../ports/main-chain.ts';
import type { ChipLogEntry, EventLogEntry } from '../../ports/store.ts';
import type { VerifiedLog } from './verified-log.ts';

export function toEventEntries(logs: readonly VerifiedLog[]): EventLogEntry[] {
  const entries: EventLogEntry[] = [];
  for (const log of logs) {
    const { event, registry, blockNumber, blockTimestamp, logIndex, transactionHash } = log;
    const place = { blockNumber, blockTimestamp, logIndex };
    if (event !== undefined) entries.push({ ...event, ...place });
    else if (registry?.kind === 'chip-attested' || registry?.kind === 'chip-revoked')
      entries.push(toChipLogEntry(log)!);
    else if (registry !== undefined) entries.push({ ...registry, generation: 'current', ...place, transactionHash });
  }
  return entries;
}

/** Returns undefined for a log of anything but a chip record. */
export function toChipLogEntry({ registry, blockNumber, logIndex }: ChainLog): ChipLogEntry | undefined {
  if (registry?.kind !== 'chip-attested' && registry?.kind !== 'chip-revoked') return undefined;
  return { ...registry, generation: 'current', blockNumber, logIndex };
}
