import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { busy, FakeHistory, recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { createAltIndexers, formatAltIndexIdentity } from './alt-indexers.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { FINGERPRINT, FixedRates, machine } from '../../../testing/fixtures/indexer-harness.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';

const A = machine(11);
const DEPLOYMENT = { genesisHash: 'genesis' as AltKey, eventRegistry: 'events' as AltKey, firstSlot: 0 };

async function openIndexers() {
  const chain = new FakeHistory();
  const store = await createMemoryStore();
  const time = new VirtualTime();
  const log = createRecordingLog();
  const indexers = createAltIndexers({
    history: chain,
    store,
    fxRates: new FixedRates(),
    clock: time,
    timers: time,
    log,
    deployment: DEPLOYMENT,
    pollIntervalMilliseconds: 60_000,
  });
  return { chain, store, time, log, indexers };
}

describe('the alt chain’s indexers', () => {
  it('keep up with the chain every minute', async () => {
    const { chain, time, log, indexers } = await openIndexers();
    expect(await indexers.claimIndex()).toBe(true);
    const notReady = { isReady: false, slot: undefined, observedAtMilliseconds: undefined };
    expect(await indexers.index.readStatus()).toEqual(notReady);
    chain.submit(A, recordOf(1));
    indexers.worker.start();
    await time.advance(0);
    await indexers.caughtUp;
    const startedAt = time.nowMilliseconds();
    expect(await indexers.index.readStatus()).toEqual({
      isReady: true,
      slot: 11,
      observedAtMilliseconds: startedAt,
      progress: { phase: 'following', appliedSlot: 11, targetSlot: 11, listedDownToSlot: undefined },
    });

    chain.submit(A, recordOf(2));
    await time.advance(60_000);
    expect(await indexers.index.readStatus()).toEqual({
      isReady: true,
      slot: 12,
      observedAtMilliseconds: startedAt + 60_000,
      progress: { phase: 'following', appliedSlot: 12, targetSlot: 12, listedDownToSlot: undefined },
    });
    const { isComplete, tail } = await indexers.index.readHistory(chain.snapshotOf(A), FINGERPRINT);
    expect([isComplete, tail.map(({ value }) => value)]).toEqual([true, [1n, 2n]]);
    await indexers.worker.stop();
    expect(indexers.worker.report().failures).toBe(0);
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('do not look alive while the slot of the node stands still', async () => {
    const { chain, time, indexers } = await openIndexers();
    chain.submit(A, recordOf(1));
    indexers.worker.start();
    await time.advance(0);
    const startedAt = time.nowMilliseconds();
    const observedAt = async () => (await indexers.index.readStatus()).observedAtMilliseconds;
    await time.advance(660_000);
    expect(await observedAt()).toBe(startedAt);
    chain.submit(A, recordOf(2));
    await time.advance(60_000);
    expect(await observedAt()).toBe(startedAt + 720_000);
    await indexers.worker.stop();
  });

  it('wait as long as a busy node requests, 30 s at most, and can be stopped while waiting', async () => {
    const { chain, time, indexers } = await openIndexers();
    chain.onRequest = () => {
      throw busy(7);
    };
    indexers.worker.start();
    await time.advance(0);
    expect(time.pauses).toEqual([7_000]);
    chain.onRequest = () => {
      throw busy(3_600);
    };
    await time.advance(7_000);
    expect(time.pauses).toEqual([30_000]);
    await indexers.worker.stop();
    expect(indexers.worker.report().lastFailure).toBe('node-busy');
  });

  it('serve nothing from the index of another deployment', async () => {
    const { chain, store, indexers } = await openIndexers();
    await store.claimAltIdentity(formatAltIndexIdentity({ ...DEPLOYMENT, firstSlot: 7 }));
    expect(await indexers.claimIndex()).toBe(false);
    const refused = { kind: 'ChainUnreadable', context: { chain: 'alt', cause: 'contradiction' } };
    await expect(indexers.index.readHistory(chain.snapshotOf(A), FINGERPRINT)).rejects.toMatchObject(refused);
    await expect(indexers.index.readEvents(chain.snapshotOf(A), 0, 1)).rejects.toMatchObject(refused);
    const notReady = { isReady: false, slot: undefined, observedAtMilliseconds: undefined };
    expect(await indexers.index.readStatus()).toEqual(notReady);
  });
});
