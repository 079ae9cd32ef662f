/** Parts of one rating that are read apart: they are of one epoch of the history, or the read fails. */
import { expect, test } from 'vitest';
import { createFixedRates } from '../adapters/fx/feed-rates.ts';
import { Fault } from '../domain/faults.ts';
import type { MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { NO_PROVENANCE } from '../domain/machine/provenance.ts';
import { present } from '../domain/read-result.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { EventLogQuery } from '../ports/indexes.ts';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { MAIN_MACHINE } from '../../testing/harness/alt-chain.ts';
import { readDayHistory, readHistory } from './event-history.ts';
import { rateSnapshot, toEventSource } from './machine-rating.ts';

const SNAPSHOT = { ...MAIN_MACHINE, eventCount: present(1n), priorEventCount: present(0n) } as MachineSnapshot;
const SYNCING = new Fault('EventIndexSyncing', { indexedBlock: 5, headBlock: SNAPSHOT.block.number });

/** Ports of a machine whose history is of epoch 2, and where a repair then begins epoch 3. */
function createPorts(checkedEpoch = 2) {
  const queries: EventLogQuery[] = [];
  const main = {
    chain: { readEvents: () => Promise.resolve({ offset: 0, records: [{}] }) },
    index: { readMainChainIndex: () => Promise.resolve({ indexedBlock: 5 }) },
    counters: { checkMachine: () => Promise.resolve({ outcome: 'agrees', epoch: checkedEpoch }) },
    eventTimes: {
      readPinnedHistory: () => Promise.resolve({ epoch: 2, storedEpoch: 2, provenance: NO_PROVENANCE }),
      readEventLogs: (query: EventLogQuery) => {
        queries.push(query);
        return Promise.reject(SYNCING);
      },
    },
  } as unknown as MainChainPorts;
  const store = {
    readRatingState: () => Promise.resolve(undefined),
    listRatingStateDays: () => Promise.resolve({ epoch: 2, days: [] }),
  } as Partial<Ctx['store']> as Ctx['store'];
  return { queries, main, ctx: createStubCtx({ store, fxRates: createFixedRates([]) }) };
}

test.each([
  ['tail of a rating', readHistory],
  ['days of a history', readDayHistory],
])('reads the %s in the epoch of its provenance', async (_name, read) => {
  const { queries, main, ctx } = createPorts();
  await expect(read(ctx, main, toEventSource(main, SNAPSHOT), 'rates')).rejects.toBe(SYNCING);
  expect(queries).toMatchObject([{ from: 0, to: 1, epoch: 2 }]);
});

test('does not rate a machine whose logs were checked in another epoch', async () => {
  const snapshot = { ...SNAPSHOT, eventCount: present(0n), attestations: present({ kyb: {} }) } as MachineSnapshot;
  const { main, ctx } = createPorts(3);
  await expect(rateSnapshot(ctx, main, snapshot)).rejects.toEqual(SYNCING);
});
