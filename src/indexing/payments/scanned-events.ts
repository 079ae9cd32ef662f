/** Reads the finalized events of both home chains for the search of payments. */
import { pairEvents } from '../../domain/machine/event-pairing.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { AltEventStore } from '../../ports/alt-store.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { MainChainIndexStore } from '../../ports/store.ts';
import { pickConsecutive, toRatingEvent } from '../alt/stored-events.ts';
import type { ReadEvents } from './payment-scanner.ts';

/** Reads records at `block`, and their logs from the index. The events throw `ChainUnreadable` when both disagree. */
export function readMainEvents(
  chain: Pick<MainChainLog, 'readEventRecords'>,
  store: Pick<MainChainIndexStore, 'listEventLogs'>,
  block: BlockRef,
): ReadEvents {
  return async ({ id, version }, from, to) => {
    const logs = await store.listEventLogs('current', id, from, to);
    if (logs.length < to - from || logs.some(({ blockNumber }) => blockNumber > block.number)) return undefined;
    const [records = []] = await chain.readEventRecords(block, [{ generation: 'current', id, from, to }]);
    const events = pairEvents(records, logs, from, version > 0);
    return events.map((event, index) => ({ event, record: records[index]! }));
  };
}

/** Reads the events that the index of the alt chain holds. */
export function readAltEvents(store: Pick<AltEventStore, 'listAltEvents'>): ReadEvents {
  return async ({ id }, from, to) => {
    const events = pickConsecutive(await store.listAltEvents(id, from, to), from);
    if (events.length < to - from) return undefined;
    return events.map((stored) => ({ event: toRatingEvent(stored), record: stored.record }));
  };
}
