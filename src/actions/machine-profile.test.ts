/** Work that the events of a profile are read for: that of the request, also where the rating is cached. */
import { expect, test } from 'vitest';
import { createFixedRates } from '../adapters/fx/feed-rates.ts';
import { createWorkScope } from '../adapters/rpc/work-scope.ts';
import type { MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { NO_PROVENANCE } from '../domain/machine/provenance.ts';
import { chainUnreadable } from '../domain/faults.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { MAIN_MACHINE } from '../../testing/harness/alt-chain.ts';
import { rateSnapshot } from './machine-rating.ts';
import { getProfile } from './machines.ts';
import { present } from '../domain/read-result.ts';

const ID = 1n as MachineSnapshot['id'];
const CALLER = { kind: 'caller', networks: ['192.0.2.1'], isLimited: true } as const;

test('reads the events of a profile for the caller, also with a cached rating', async () => {
  const workScope = createWorkScope();
  const seen: unknown[] = [];
  const facts = {
    ...{ id: ID, eventCount: present(0n) },
    ...{ events: present({ offset: 0, records: [] }), firstEvents: present({ offset: 0, records: [{}] }) },
    document: present({
      ...{ controller: undefined, verificationMethods: [], authentication: [] },
      serviceEndpoints: [{ id: '#data-visibility', serviceType: 'x', serviceEndpoint: 'onchain' }],
    }),
  };
  const snapshot = { ...MAIN_MACHINE, ...facts } as unknown as MachineSnapshot;
  const main = {
    chain: { getCached: () => ({ snapshot, deployment: { localOrdinal: 1 } }) },
    counters: { checkMachine: () => Promise.resolve({ outcome: 'agrees', epoch: 0 } as const) },
    eventTimes: {
      readPinnedHistory: () => Promise.resolve({ epoch: 0, storedEpoch: 0, provenance: NO_PROVENANCE }),
      async readEventLogs() {
        await Promise.resolve();
        seen.push(workScope.current());
        throw chainUnreadable('main', 'events');
      },
    },
  } as unknown as MainChainPorts;
  const ctx = createStubCtx({
    ...{ workScope, main, fxRates: createFixedRates([]) },
    clock: { nowMilliseconds: () => (snapshot.block.timestamp + 3) * 1000 },
    store: { readRatingState: () => Promise.resolve(undefined) } as Partial<Ctx['store']> as Ctx['store'],
  });
  await workScope.run({ kind: 'head' }, () => Promise.resolve(rateSnapshot(ctx, main, snapshot)));
  // From now on the snapshot has an event, which its cached rating does not count.
  Object.assign(snapshot, { eventCount: present(1n) });
  workScope.enter(CALLER);
  const profile = getProfile(ctx, ID);
  workScope.leave();
  await expect(profile).rejects.toMatchObject({ kind: 'ChainUnreadable' });
  expect(seen).toEqual([CALLER]);
});
