import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import {
  A,
  B,
  limitRange,
  openFollowing,
  pollSteps,
  problemOf,
} from '../../../testing/fixtures/head-follower-harness.ts';
import { NEVER, createHarness, type IndexerHarness } from '../../../testing/fixtures/indexer-harness.ts';

describe('blocks above the index', () => {
  const floorOf = ({ follower }: IndexerHarness) => follower.recent()!.floor.blockNumber;

  it('are all known after the first poll', async () => {
    const harness = createHarness({ store: await createMemoryStore() });
    harness.chain.finalityLag = 5;
    harness.chain.mineMany(10);
    await harness.index.advance(NEVER);
    harness.chain.mine([submitted(A)]);
    harness.chain.requests.length = 0;
    expect(await pollSteps(harness)).toEqual([[11, 'all', 'deployment', 'checks']]);
    expect(harness.chain.requests).toEqual(['header', 'head', 'headers', 'block-logs']);
    expect(floorOf(harness)).toBe(5);
    expect(harness.follower.recent()!.listEvents('current', A, 5, 11)).toMatchObject([{ blockNumber: 11 }]);
  });

  it('are dropped as the index advances, except those that responses may still use', async () => {
    const harness = await openFollowing();
    for (let i = 0; i < 84; i++) {
      harness.chain.mine();
      await harness.index.advance(NEVER);
      await harness.follower.poll();
    }
    expect(floorOf(harness)).toBe(28);
  });

  it('are read again once a backfill has come near the head', async () => {
    const harness = await openFollowing();
    expect(floorOf(harness)).toBe(10);
    await harness.index.advance(NEVER);
    harness.chain.mine([submitted(A)]);
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
    expect(floorOf(harness)).toBe(8);
  });

  /** Polls the head once, hundreds of blocks above the index. */
  async function openDistant(isCaughtUp = false) {
    const harness = createHarness({ store: await createMemoryStore(), isCaughtUp });
    const { chain, index, follower } = harness;
    chain.mineMany(10);
    await index.advance(NEVER);
    chain.mineMany(500);
    chain.finalityLag = 300;
    await follower.poll();
    return harness;
  }

  it('are left to the index while it catches up, for 30 s', async () => {
    const harness = await openDistant();
    const { index, follower, time } = harness;
    time.jump(29_999);
    // The checkpoint moves, and stays distant.
    await index.advance(NEVER);
    await follower.poll();
    expect(floorOf(harness)).toBe(510);
    time.jump(1);
    await follower.poll();
    expect(floorOf(harness)).toBe(210);
  });

  it('are read at once when a distant index has caught up', async () => {
    const harness = await openDistant(true);
    const checkpoint = (await harness.store.readMainChainCheckpoint())!;
    expect(floorOf(harness)).toBe(checkpoint.blockNumber);
  });

  it('are not read from a node that is behind', async () => {
    const harness = await openFollowing();
    await harness.index.advance(NEVER);
    harness.chain.behind = 1;
    expect(await problemOf(harness)).toBe('head-behind');
    expect(harness.steps).toEqual([]);
    harness.chain.behind = 0;
    expect(await pollSteps(harness)).toEqual([[10, []]]);
    expect(floorOf(harness)).toBe(8);
  });

  it('are not required while the node refuses the range down to the index', async () => {
    const harness = await openFollowing();
    await harness.index.advance(NEVER);
    harness.chain.faults.before = (request, [since]) => {
      if (request === 'logs' || (request === 'head' && since === 8)) throw new LogQueryRefused('range-too-large');
    };
    harness.chain.mine([submitted(A)]);
    harness.chain.requests.length = 0;
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
    expect(await pollSteps(harness)).toEqual([[11, []]]);
    expect(harness.chain.requests).toEqual(['head', 'header', 'logs', 'logs', 'head', 'block-logs', 'head']);
    expect(floorOf(harness)).toBe(10);
    harness.chain.faults = {};
    harness.time.jump(10_000);
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(8);
  });

  it('begin with the index, below which no head is followed, neither at first nor later', async () => {
    const { chain, index, store } = createHarness({ store: await createMemoryStore() });
    chain.finalityLag = 5;
    chain.mineMany(10);
    const harness = createHarness({ chain, store });
    await harness.follower.poll();
    await index.advance(NEVER);
    chain.behind = 6;
    const restarted = createHarness({ chain, store });
    for (const each of [harness, restarted]) {
      each.steps.length = 0;
      await each.follower.poll().catch(() => undefined);
      each.time.jump(60_000);
      expect([await problemOf(each), each.steps]).toEqual(['head-behind', []]);
    }
    expect([harness.finals, restarted.finals]).toEqual([
      [undefined, 5, 5],
      [5, 5],
    ]);
    chain.behind = 5;
    expect(await pollSteps(restarted)).toEqual([[5, 'all', 'deployment', 'checks']]);
  });

  /** Opens an index this far below the head, behind a node that serves the logs of 5 blocks per query. */
  async function openLimited(finalityLag: number) {
    const chain = new FakeChain();
    for (let i = 0; i < 50; i++) chain.mine([submitted(A)]);
    chain.mineMany(200);
    chain.finalityLag = finalityLag;
    const { store, index } = createHarness({ chain, store: await createMemoryStore() });
    await index.advance(NEVER);
    chain.mine([submitted(B)]);
    limitRange(chain, 5);
    chain.requests.length = 0;
    return { chain, store, checkpoint: 250 - finalityLag };
  }
  const countLogs = ({ requests }: FakeChain) => requests.filter((request) => request === 'logs').length;

  it('are all known after the first poll where a node serves fewer of them per query', async () => {
    const { chain, store, checkpoint } = await openLimited(64);
    const harness = createHarness({ chain, store });
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(checkpoint);
    expect(harness.follower.recent()!.listEvents('current', B, checkpoint, 251)).toHaveLength(1);
    expect(countLogs(chain)).toBeLessThan(2 * (65 / 5));
    chain.rollBack(3);
    for (let i = 0; i < 4; i++) chain.mine([submitted(A)]);
    chain.requests.length = 0;
    expect(await pollSteps(harness)).toEqual([[252, 'all', 'deployment', 'checks']]);
    expect(floorOf(harness)).toBe(checkpoint);
    expect(countLogs(chain)).toBeLessThan(2 * (66 / 5));
  });

  it('are read at once in ranges of a size that is known', async () => {
    const { chain, store, checkpoint } = await openLimited(64);
    chain.logLimits.recordSuccess(5, 0);
    chain.logLimits.recordRefusal(6);
    const harness = createHarness({ chain, store });
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(checkpoint);
    expect(countLogs(chain)).toBe(65 / 5);
  });

  it('are known after the second attempt where a small limit is yet to be found', async () => {
    const { chain, store, checkpoint } = await openLimited(180);
    const harness = createHarness({ chain, store });
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(251);
    harness.time.jump(10_000);
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(checkpoint);
    expect(chain.logLimits.bounds.refused).toBeUndefined();
  });

  it('are read again after the rate was refused in the middle of them', async () => {
    const { chain, store, checkpoint } = await openLimited(64);
    const harness = createHarness({ chain, store });
    const { before } = chain.faults;
    chain.faults.before = (request, detail) => {
      before!(request, detail);
      if (request === 'logs') throw new LogQueryRefused('rate-limited', 9);
    };
    await expect(harness.follower.poll()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterSeconds: 9 });
    expect(harness.steps).toEqual([]);
    chain.faults.before = before!;
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(checkpoint);
  });

  it('are not required while the node withholds logs on the way down to the index', async () => {
    const harness = await openFollowing();
    await harness.index.advance(NEVER);
    harness.chain.mine([submitted(A)]);
    await harness.follower.poll();
    harness.chain.mine();
    harness.chain.rollBack(3);
    harness.chain.mine([submitted(B)]);
    harness.chain.mineMany(3);
    harness.chain.faults.logs = () => [];
    harness.chain.faults.blockLogs = () => [];
    expect(await problemOf(harness)).toBe('withheld-logs');
    expect(await pollSteps(harness)).toEqual([[13, 'all', 'deployment', 'checks']]);
    harness.chain.mine();
    expect(await pollSteps(harness)).toEqual([[14, []]]);
    expect(floorOf(harness)).toBe(13);
  });

  it('are not requested again when memory does not suffice', async () => {
    const harness = await openFollowing({ recentLimits: { blocks: 100, events: 4 } });
    harness.chain.finalityLag = 5;
    for (let i = 0; i < 5; i++) harness.chain.mine([submitted(A), submitted(B)]);
    await harness.index.advance(NEVER);
    await harness.follower.poll();
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(13);
    harness.chain.requests.length = 0;
    harness.time.jump(3_600_000);
    await harness.follower.poll();
    expect(harness.chain.requests).toEqual(['head']);
  });

  it('refuse an index that is not on their chain', async () => {
    const harness = await openFollowing();
    await harness.index.advance(NEVER);
    harness.chain.rollBack(4);
    harness.chain.mineMany(10);
    expect(await pollSteps(harness)).toEqual([[16, 'all', 'deployment', 'checks']]);
    expect(harness.integrity.refusal()).toBe('checkpoint-not-on-chain');
    harness.chain.mine([submitted(A)]);
    expect(await pollSteps(harness)).toEqual([[17, [A]]]);
  });

  it('accept the index again once it is on their chain', async () => {
    const harness = await openFollowing();
    await harness.index.advance(NEVER);
    harness.chain.faults.header = (header) => (header.number === 9 ? { ...header, parentHash: '0xfork' } : header);
    await harness.follower.poll();
    expect(harness.integrity.refusal()).toBe('checkpoint-not-on-chain');
    harness.chain.faults = {};
    harness.time.jump(10_000);
    await harness.follower.poll();
    expect(harness.integrity.refusal()).toBeUndefined();
  });

  it('are bounded in number', async () => {
    const harness = await openFollowing({ recentLimits: { blocks: 6, events: 10 } });
    await harness.index.advance(NEVER);
    await harness.follower.poll();
    expect(floorOf(harness)).toBe(8);
    for (let i = 0; i < 20; i++) {
      harness.chain.mine([submitted(A), submitted(A), submitted(B)]);
      await harness.follower.poll();
    }
    expect(harness.follower.recent()!.headNumber).toBe(30);
    expect(floorOf(harness)).toBe(27);
    harness.chain.requests.length = 0;
    await harness.follower.poll();
    expect(harness.chain.requests).toEqual(['head']);
  });
});
