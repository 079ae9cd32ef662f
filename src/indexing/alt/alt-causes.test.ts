/** Causes that stop or slow the indexes of the alt chain: named while they last, and withdrawn afterwards. */
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { AltFleet } from '../../domain/alt-chain/alt-fleet.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import { FakeHistory, recordOf, type FakeRequest } from '../../../testing/fakes/fake-alt-history.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { FixedRates, machine } from '../../../testing/fixtures/indexer-harness.ts';
import { createLastingCauses } from '../loops/lasting-causes.ts';
import { createAltIndexers } from './alt-indexers.ts';
import { createAltFleetWorker } from './fleet-snapshot.ts';
import { AltHistoryRejected } from './history-rejected.ts';

const INTERVAL_MILLISECONDS = 60_000;
/** Covers the refusals that the index waits for before it reports them. */
const LONG_MILLISECONDS = 400_000;
const [genesisHash, eventRegistry, machineRegistry] = ['genesis', 'events', 'machines'] as AltKey[] as [
  AltKey,
  AltKey,
  AltKey,
];

async function open() {
  const store = await createMemoryStore();
  const time = new VirtualTime();
  const log = createRecordingLog();
  const causes = createLastingCauses({ clock: time, log, pollIntervalMilliseconds: INTERVAL_MILLISECONDS });
  const shared = { store, clock: time, timers: time, log, causes };
  return { time, log, shared, kinds: () => causes.list().map(({ kind }) => kind), causes };
}

async function openIndex() {
  const chain = new FakeHistory();
  const opened = await open();
  const { worker } = createAltIndexers({
    ...opened.shared,
    history: chain,
    fxRates: new FixedRates(),
    deployment: { genesisHash, eventRegistry, firstSlot: 0 },
    pollIntervalMilliseconds: INTERVAL_MILLISECONDS,
  });
  chain.submit(machine(11), recordOf(1));
  const fail = (request: FakeRequest, error: () => Error) => {
    chain.onRequest = (each) => {
      if (each === request) throw error();
    };
  };
  return { ...opened, chain, worker, fail };
}

const unreadable = (cause: Parameters<typeof chainUnreadable>[1]) => () => chainUnreadable('alt', cause);

describe('a cause of the event index', () => {
  it.each<[FakeRequest, () => Error, string]>([
    ['genesis', unreadable('wrong-chain'), 'alt-wrong-chain'],
    ['slot', unreadable('wrong-deployment'), 'alt-other-deployment'],
    ['slot', unreadable('transport'), 'alt-node-unreachable'],
    ['slot', () => new AltNodeBusy('rate', 1), 'alt-rate-limited'],
    ['slot', () => new AltNodeBusy('behind'), 'alt-node-behind'],
    ['first', () => new AltHistoryRejected('history-pruned'), 'alt-history-pruned'],
    ['page', () => new AltHistoryRejected('out-of-order'), 'alt-history-incomplete'],
    ['page', () => new AltHistoryRejected('too-many-in-slot'), 'alt-history-incomplete'],
    ['page', () => new AltHistoryRejected('node-behind'), 'alt-node-behind'],
    ['page', unreadable('rpc-error'), 'alt-calls-refused'],
    ['transaction', unreadable('malformed'), 'alt-answers-malformed'],
    ['counts', unreadable('rpc-error'), 'alt-accounts-refused'],
  ])('is named where %s fails (%#): %s', async (request, error, kind) => {
    const { time, worker, kinds, fail, chain } = await openIndex();
    fail(request, error);
    worker.start();
    await time.advance(LONG_MILLISECONDS);
    expect(kinds()).toEqual([kind]);
    chain.onRequest = () => undefined;
    await time.advance(LONG_MILLISECONDS);
    expect(kinds()).toEqual([]);
    await worker.stop();
  });

  it('lasts while the index continues with its other phases', async () => {
    const { time, log, worker, kinds, fail, causes, chain } = await openIndex();
    fail('counts', unreadable('rpc-error'));
    worker.start();
    await time.advance(5_000);
    const { text, remedy, subject } = causes.list()[0]!;
    for (let minute = 0; minute < 5; minute++) {
      chain.submit(machine(11), recordOf(2 + minute));
      await time.advance(INTERVAL_MILLISECONDS);
      expect(kinds()).toEqual(['alt-accounts-refused']);
    }
    const logged = log.lines.filter(({ message }) => message === text);
    expect(logged[0]).toMatchObject({ level: 'warn', fields: { cause: 'alt-accounts-refused', subject, remedy } });
    expect(logged.length).toBeGreaterThan(1);
    expect(logged.length).toBeLessThan(7);
    await worker.stop();
  });

  it('is not named for a node that serves', async () => {
    const { time, log, worker, kinds } = await openIndex();
    worker.start();
    await time.advance(LONG_MILLISECONDS);
    expect([kinds(), log.lines.filter(({ level }) => level !== 'info')]).toEqual([[], []]);
    await worker.stop();
  });
});

describe('a cause of the ownership snapshot', () => {
  const fleet: AltFleet = {
    machinesByOperator: new Map(),
    unreadableByOperator: new Map(),
    unattributed: 0,
    addresses: new Set(['a', 'b']),
  };

  it.each<[string, () => Promise<bigint>, string]>([
    ['omits machines', () => Promise.resolve(3n), 'alt-machines-mismatch'],
    ['refuses to list them', () => Promise.reject(chainUnreadable('alt', 'rpc-error')), 'alt-accounts-refused'],
  ])('is named while the node %s, and withdrawn afterwards', async (_name, readCount, kind) => {
    const { time, shared, kinds } = await open();
    let count = readCount;
    const { loop } = createAltFleetWorker({
      ...shared,
      history: {
        checkGenesis: () => Promise.resolve(),
        async readFleet() {
          const counted = { slot: 1, machineCount: await count() };
          return { slot: 1, fleet, before: counted, after: counted };
        },
      },
      deployment: { genesisHash, machineRegistry },
      pollIntervalSeconds: INTERVAL_MILLISECONDS / 1000,
    });
    loop.start();
    await time.advance(LONG_MILLISECONDS);
    expect(kinds()).toEqual([kind]);
    count = () => Promise.resolve(2n);
    await time.advance(LONG_MILLISECONDS);
    expect(kinds()).toEqual([]);
    await loop.stop();
  });
});
