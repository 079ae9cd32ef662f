/** Which logs belong to the history of a machine's events? Those of the event registries, in chain order (chain-evm 3.7). */
import type { EventLogEntry } from '../ports/store.ts';
import type { VerifiedLog } from './verified-blocks.ts';

export function toEventEntries(logs: readonly VerifiedLog[]): EventLogEntry[] {
  return logs.flatMap(({ event, blockNumber, blockTimestamp, logIndex }) =>
    event === undefined ? [] : [{ ...event, blockNumber, blockTimestamp, logIndex }],
  );
}
