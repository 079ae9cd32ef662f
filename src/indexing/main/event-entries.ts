/** Selects the logs that later reads need, in chain order: events of machines (chain-evm 3.7), and changes of their owners and controllers. */
import type { ChainLog, RegistryLogBody } from '../../ports/main-chain.ts';
import type { ChipLogEntry, EventLogEntry } from '../../ports/store.ts';
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

export function toRegistryEntries(logs: readonly ChainLog[]): RegistryLogBody[] {
  return logs.flatMap(({ registry }) => (registry === undefined ? [] : [registry]));
}

/** Returns undefined for a log of anything but a chip record. */
export function toChipLogEntry({ registry, blockNumber, logIndex }: ChainLog): ChipLogEntry | undefined {
  if (registry?.kind !== 'chip-attested' && registry?.kind !== 'chip-revoked') return undefined;
  return { ...registry, blockNumber, logIndex };
}
