/** Reads the finalized events of both home chains for the search of payments, and checks the transfers of the main chain. */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { pairEvents } from '../../domain/machine/event-pairing.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { AltEventStore } from '../../ports/alt-store.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { ChainPlace } from '../../ports/payment-store.ts';
import type { MainChainIndexStore } from '../../ports/store.ts';
import { pickConsecutive, toRatingEvent } from '../alt/stored-events.ts';
import type { IndexRepair } from '../main/index-repair.ts';
import { explainsOwner } from '../main/machine-check.ts';
import type { HomeReads, ReadEvents } from './payment-scanner.ts';

/** Returns the reads of the main chain at `block`, the checkpoint of the index. */
export function createMainReads(
  chain: Pick<MainChainLog, 'readEventRecords' | 'readOwnership'>,
  store: Pick<MainChainIndexStore, 'listEventLogs' | 'readIndexedMachine'>,
  repair: Pick<IndexRepair, 'startRegistryLogs'>,
  block: BlockRef,
): HomeReads {
  return {
    readEvents: readMainEvents(chain, store, block),
    async knowsOwnerSince(id: MachineId, place: ChainPlace) {
      const { transfers } = (await store.readIndexedMachine(id)) ?? { transfers: [] };
      const [ownership] = await chain.readOwnership(block, [id]);
      const [first] = transfers;
      const isEarlier =
        first !== undefined &&
        (first.blockNumber < place.block || (first.blockNumber === place.block && first.logIndex < place.index));
      if (isEarlier && explainsOwner(transfers, ownership!)) return true;
      repair.startRegistryLogs('transfers', id);
      return false;
    },
  };
}

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
