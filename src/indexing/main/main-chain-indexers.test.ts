import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused, type HeadStep } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { OWNER, submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { rule } from '../../../test/conformance/rule.ts';
import type { PaymentScanner } from '../payments/payment-scanner.ts';
import { createMainChainIndexers } from './main-chain-indexers.ts';
import { FINGERPRINT, FixedRates, machine } from '../../../testing/fixtures/indexer-harness.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';

const A = machine(11);
const BUYER = `0x${'bb'.repeat(20)}` as Address;

async function openIndexers(proof: IndexProof = 'before', chain = new FakeChain(), deferredChain?: FakeChain) {
  const store = await createMemoryStore();
  const time = new VirtualTime();
  const steps: HeadStep[] = [];
  const searches: { readonly events: number; readonly transfers: number }[] = [];
  const payments: PaymentScanner = {
    async scan() {
      const { count: events } = await store.readEventLogCount('current', A);
      searches.push({ events, transfers: (await store.readIndexedMachine(A))?.transfers.length ?? 0 });
      return 'idle';
    },
  };
  const indexers = createMainChainIndexers({
    chain,
    deferredChain,
    balances: chain,
    store,
    fxRates: new FixedRates(),
    clock: time,
    timers: time,
    log: createRecordingLog(),
    deployment: {
      chainId: 1,
      startBlock: 0,
      machineRegistry: chain.addresses[0] as Address,
      crossChainMirror: chain.addresses[0] as Address,
      eventRegistry: chain.addresses[1] as Address,
      legacyEventRegistry: chain.addresses[2],
    },
    pollIntervalMilliseconds: 60_000,
    listeners: [{ advanceHead: (step) => steps.push(step) }],
    proof,
    payments,
    random: () => 0,
  });
  const loops = [indexers.worker, indexers.head, indexers.prover].filter((loop) => loop !== undefined);
  const stop = () => Promise.all(loops.map((loop) => loop.stop()));
  const start = () => loops.map((loop) => loop.start());
  return { chain, store, time, steps, searches, indexers, start, stop };
}

describe('the main chain’s indexers', () => {
  it('keep up with the chain, every second at the head and every minute in the index', async () => {
    rule('listing.index-worker');
    const { chain, store, time, steps, indexers, start, stop } = await openIndexers();
    chain.mine([submitted(A)]);
    chain.mineMany(2);
    start();
    await time.advance(1_000);
    await indexers.caughtUp;
    expect(await indexers.index.readMainChainIndex()).toMatchObject({ indexedBlock: 1, headBlock: 3 });
    expect(await store.readRatingState('current', A, FINGERPRINT)).toMatchObject({ nextSeq: 1 });

    for (let minute = 0; minute < 3; minute++) {
      chain.mine([submitted(A)]);
      chain.mineMany(4);
      await time.advance(60_000);
    }
    // One per second, and one each when the first index and the first rating states are stored.
    expect(steps).toHaveLength(184);
    expect(steps.at(-1)!.head).toEqual(chain.head);
    expect(await indexers.index.readMainChainIndex()).toMatchObject({ indexedBlock: 16, headBlock: 18 });
    expect(await store.readRatingState('current', A, FINGERPRINT)).toMatchObject({ nextSeq: 4 });
    expect(
      await indexers.eventTimes.readEventLogs({
        generation: 'current',
        id: A,
        from: 0,
        to: 4,
        block: chain.head,
        hasPriorEvents: false,
      }),
    ).toHaveLength(4);
    await stop();
    expect([indexers.worker.report().failures, indexers.head.report().failures]).toEqual([0, 0]);
  });

  it('defer their calls only when no event is left to fold', async () => {
    const chains = [new FakeChain(), new FakeChain()] as const;
    const events = Array.from({ length: 10_001 }, (_, value) => submitted(A, { value: BigInt(value) }));
    for (const chain of chains) {
      chain.mine(events);
      chain.mineMany(2);
    }
    const [chain, deferredChain] = chains;
    const { store, time, indexers, start, stop } = await openIndexers('before', chain, deferredChain);
    start();
    await time.advance(1_000);
    await indexers.caughtUp;
    expect(await store.readRatingState('current', A, FINGERPRINT)).toMatchObject({ nextSeq: 10_001 });
    expect(deferredChain.requests).toEqual([]);
    await time.advance(60_000);
    expect(deferredChain.requests).not.toEqual([]);
    await stop();
  });

  it('connect the head to the first index at once, without waiting for the head follower’s pause', async () => {
    const { chain, time, indexers, start, stop } = await openIndexers();
    chain.mine([submitted(A)]);
    chain.mineMany(2);
    start();
    await time.advance(0);
    await indexers.caughtUp;
    expect(
      await indexers.eventTimes.readEventLogs({
        generation: 'current',
        id: A,
        from: 0,
        to: 1,
        block: chain.head,
        hasPriorEvents: false,
      }),
    ).toHaveLength(1);
    const pinned = { generation: 'current', id: A, block: chain.head, hasPriorEvents: false, count: 1 } as const;
    expect((await indexers.eventTimes.readPinnedHistory(pinned)).epoch).toBe(0);
    await stop();
  });

  it('serve a machine as soon as the times of its blocks are known, while those of older blocks are read', async () => {
    const chain = new FakeChain();
    for (let i = 1; i <= 1_000; i++) chain.mine(i % 10 === 0 ? [submitted(i > 900 ? A : machine(12))] : []);
    chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockTimestamp: undefined }));
    chain.faults.before = (request, numbers) => {
      if (request === 'headers' && numbers.some((number) => number < 700))
        throw chainUnreadable('main', 'rate-limited');
    };
    const { time, indexers, start, stop } = await openIndexers('background', chain);
    start();
    await time.advance(0);
    const query = { generation: 'current', id: A, from: 0, to: 9, block: chain.head, hasPriorEvents: false } as const;
    expect(await indexers.eventTimes.readEventLogs(query)).toHaveLength(9);
    expect(indexers.worker.report().lastFailure).toBe('ChainUnreadable:rate-limited');
    await stop();
  });

  it('poll a quiet chain only once a second for its head and once a minute for its finality', async () => {
    const { chain, time, start, stop } = await openIndexers();
    chain.mineMany(5);
    start();
    await time.advance(5_000);
    chain.requests.length = 0;
    await time.advance(60_000);
    await stop();
    expect(chain.requests.filter((name) => name === 'head')).toHaveLength(60);
    expect(chain.requests.filter((name) => name !== 'head')).toEqual(['header', 'header']);
  });

  it('keep the index near the head and verified where an interval has hundreds of blocks', async () => {
    const { chain, store, time, indexers, start, stop } = await openIndexers('background');
    chain.mine([transferred(A)]);
    chain.mineMany(5);
    start();
    await time.advance(1_000);
    await indexers.prover!.stop();
    for (let second = 0; second < 180; second++) {
      chain.mine([submitted(A)]);
      chain.mineMany(3);
      await time.advance(1_000);
      const { indexedBlock, headBlock } = await indexers.index.readMainChainIndex();
      expect(headBlock! - indexedBlock!).toBe(chain.finalityLag);
      expect(chain.head.number - indexedBlock!).toBeLessThan(60);
      expect(await store.listRereads(1)).toEqual([]);
    }
    expect(await store.readUnprovenExtent()).toBeUndefined();
    await stop();
  });

  it('do not shorten the pause after a failed step where an interval has hundreds of blocks', async () => {
    const { chain, time, indexers, start, stop } = await openIndexers();
    chain.mineMany(5);
    start();
    await time.advance(1_000);
    chain.faults.before = (request) => {
      if (request === 'header') throw new LogQueryRefused('rate-limited', 300);
    };
    for (let second = 0; second < 200; second++) {
      chain.mineMany(4);
      await time.advance(1_000);
    }
    expect(indexers.worker.report().failures).toBe(1);
    await stop();
  });

  it('recover from a dead node', async () => {
    const { chain, time, indexers, start, stop } = await openIndexers();
    chain.mineMany(5);
    chain.faults.before = () => {
      throw chainUnreadable('main', 'transport');
    };
    start();
    await time.advance(600_000);
    expect(indexers.worker.report()).toMatchObject({ lastFailure: 'ChainUnreadable:transport', failures: 15 });
    expect(indexers.head.report().failures).toBe(122);
    chain.faults = {};
    await time.advance(60_000);
    expect(await indexers.index.readMainChainIndex()).toMatchObject({ indexedBlock: 3, headBlock: 5 });
    await stop();
  });

  it('prove the index in the background once it has caught up', async () => {
    const chain = new FakeChain();
    chain.servesReceipts = true;
    chain.mine([submitted(A)]);
    chain.mineMany(400);
    const { store, time, indexers, start, stop } = await openIndexers('background', chain);
    start();
    await time.advance(1_000);
    await indexers.caughtUp;
    await time.advance(120_000);
    expect(await store.areEventLogsProven('current', A, 0)).toBe(true);
    expect(await store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: 399, kind: 'sample' }]);
    expect(indexers.report().prover).toEqual({ differences: 0, unproven: 0 });
    await stop();
  });

  it('search no events for payments while the number of events differs from that of the contract', async () => {
    const chain = new FakeChain();
    chain.mine([transferred(A)]);
    chain.mine([submitted(A)]);
    chain.mineMany(400);
    chain.faults.logs = (logs) => logs.filter(({ event }) => event === undefined);
    const { time, searches, indexers, start, stop } = await openIndexers('off', chain);
    start();
    await time.advance(120_000);
    expect(indexers.report().missingEvents).toBe(1);
    expect(searches).toEqual([]);
    chain.faults = {};
    await time.advance(1_200_000);
    expect(searches[0]).toEqual({ events: 1, transfers: 1 });
    await stop();
  });

  it('search events for payments at once in mode off when their number agrees', async () => {
    const { chain, time, searches, start, stop } = await openIndexers('off');
    chain.mine([submitted(A)]);
    chain.mineMany(400);
    start();
    await time.advance(0);
    expect(searches[0]).toMatchObject({ events: 1 });
    await stop();
  });

  it('run no background proof in mode off', async () => {
    expect((await openIndexers('off')).indexers.prover).toBeUndefined();
  });

  it('read the ownership of all machines again after a downtime, without waiting for the next poll', async () => {
    const chain = new FakeChain();
    const ids = Array.from({ length: 2_001 }, (_, i) => machine(i + 1));
    chain.mine(ids.map((id) => transferred(id)));
    chain.mineMany(200);
    const { store, time, indexers, start, stop } = await openIndexers('off', chain);
    const listed = async () => (await store.listOwnership(BUYER, 0, 9)).ids;
    start();
    await time.advance(1_000);
    await stop();
    const { number } = chain.mine([transferred(ids.at(-1)!, OWNER, BUYER)]);
    chain.mineMany(200);
    chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => blockNumber !== number);
    indexers.worker.start();
    await time.advance(0);
    await stop();
    expect(await listed()).toEqual([ids.at(-1)]);
  });

  it('log it when the stored index is refused', async () => {
    const { chain, time, indexers, start, stop } = await openIndexers();
    chain.mineMany(5);
    start();
    await time.advance(1_000);
    chain.rollBack(4);
    chain.mineMany(9);
    await time.advance(60_000);
    expect(indexers.report()).toEqual({
      refusal: 'checkpoint-not-on-chain',
      head: { reorgs: 1, unknownLogs: 0 },
      repair: { started: 0, succeeded: 0 },
      missingEvents: 0,
      prover: { differences: 0, unproven: 0 },
    });
    expect(indexers.worker.report().lastFailure).toBe('checkpoint-not-on-chain');
    await expect(indexers.index.readMainChainIndex()).rejects.toEqual(chainUnreadable('main', 'contradiction'));
    await stop();
    // The head follower has found it too.
    expect(indexers.report().refusal).toBe('checkpoint-not-on-chain');
  });

  it('serve the index again when the worker stops after a node returned another checkpoint once', async () => {
    const { chain, time, indexers, start, stop } = await openIndexers();
    chain.mineMany(5);
    start();
    await time.advance(1_000);
    await indexers.caughtUp;
    await indexers.head.stop();
    chain.faults.header = (header) => ({ ...header, hash: `${header.hash.slice(0, -1)}f` });
    await time.advance(60_000);
    expect(indexers.report().refusal).toBe('checkpoint-not-on-chain');
    chain.faults = {};
    await indexers.worker.stop();
    expect(await indexers.index.readMainChainIndex()).toMatchObject({ indexedBlock: 3 });
    await stop();
  });

  it('refuse the index of another deployment also when the worker stops', async () => {
    const { store, indexers, start, stop } = await openIndexers();
    await store.claimMainChainIdentity('another deployment', '');
    start();
    await stop();
    expect(indexers.report().refusal).toBe('other-deployment');
  });
});
