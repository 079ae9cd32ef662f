import { describe, expect, it } from 'vitest';
import { createStore } from '../../adapters/sql/create-store.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import { A, B, openFollowing, pollSteps, problemOf } from '../../../testing/fixtures/head-follower-harness.ts';
import { NEVER, createBench, type Bench } from '../../../testing/fixtures/indexer-harness.ts';

describe('the blocks above the index', () => {
  const floorOf = ({ follower }: Bench) => follower.recent()!.floor.blockNumber;

  it('are all known from the first poll on', async () => {
    const bench = createBench({ store: await createStore('sqlite::memory:') });
    bench.chain.finalityLag = 5;
    bench.chain.mineMany(10);
    await bench.index.advance(NEVER);
    bench.chain.mine([submitted(A)]);
    bench.chain.requests.length = 0;
    expect(await pollSteps(bench)).toEqual([[11, 'all', 'deployment', 'checks']]);
    expect(bench.chain.requests).toEqual(['header', 'head', 'headers', 'block-logs']);
    expect(floorOf(bench)).toBe(5);
    expect(bench.follower.recent()!.listEvents('second', A, 5, 11)).toMatchObject([{ blockNumber: 11 }]);
  });

  it('are let go as the index advances, but for those that answers may still stand on', async () => {
    const bench = await openFollowing();
    for (let i = 0; i < 84; i++) {
      bench.chain.mine();
      await bench.index.advance(NEVER);
      await bench.follower.poll();
    }
    expect(floorOf(bench)).toBe(28);
  });

  it('are read anew when a backfill has come near', async () => {
    const bench = await openFollowing();
    expect(floorOf(bench)).toBe(10);
    await bench.index.advance(NEVER);
    bench.chain.mine([submitted(A)]);
    expect(await pollSteps(bench)).toEqual([[11, [A]]]);
    expect(floorOf(bench)).toBe(8);
  });

  it('are not read from a node that is behind', async () => {
    const bench = await openFollowing();
    await bench.index.advance(NEVER);
    bench.chain.behind = 1;
    expect(await problemOf(bench)).toBe('head-behind');
    expect(bench.steps).toEqual([]);
    bench.chain.behind = 0;
    expect(await pollSteps(bench)).toEqual([[10, []]]);
    expect(floorOf(bench)).toBe(8);
  });

  it('are followed without the index while the way down to it is refused', async () => {
    const bench = await openFollowing();
    await bench.index.advance(NEVER);
    bench.chain.faults.before = (request, [since]) => {
      if (request === 'head' && since === 8) throw new LogQueryRefused('range-too-large');
    };
    bench.chain.mine([submitted(A)]);
    bench.chain.requests.length = 0;
    expect(await pollSteps(bench)).toEqual([[11, [A]]]);
    expect(await pollSteps(bench)).toEqual([[11, []]]);
    expect(bench.chain.requests).toEqual(['head', 'head', 'block-logs', 'head']);
    expect(floorOf(bench)).toBe(10);
    bench.chain.faults = {};
    bench.time.jump(10_000);
    await bench.follower.poll();
    expect(floorOf(bench)).toBe(8);
  });

  it('are followed without the index while something on the way down to it is withheld', async () => {
    const bench = await openFollowing();
    await bench.index.advance(NEVER);
    bench.chain.mine([submitted(A)]);
    await bench.follower.poll();
    bench.chain.mine();
    bench.chain.rollBack(3);
    bench.chain.mine([submitted(B)]);
    bench.chain.mineMany(3);
    bench.chain.faults.logs = () => [];
    bench.chain.faults.blockLogs = () => [];
    expect(await problemOf(bench)).toBe('withheld-logs');
    expect(await pollSteps(bench)).toEqual([[13, 'all', 'deployment', 'checks']]);
    bench.chain.mine();
    expect(await pollSteps(bench)).toEqual([[14, []]]);
    expect(floorOf(bench)).toBe(13);
  });

  it('are not asked for again where memory does not suffice', async () => {
    const bench = await openFollowing({ recentLimits: { blocks: 100, events: 4 } });
    bench.chain.finalityLag = 5;
    for (let i = 0; i < 5; i++) bench.chain.mine([submitted(A), submitted(B)]);
    await bench.index.advance(NEVER);
    await bench.follower.poll();
    await bench.follower.poll();
    expect(floorOf(bench)).toBe(13);
    bench.chain.requests.length = 0;
    bench.time.jump(3_600_000);
    await bench.follower.poll();
    expect(bench.chain.requests).toEqual(['head']);
  });

  it('refuse an index that is not of their chain', async () => {
    const bench = await openFollowing();
    await bench.index.advance(NEVER);
    bench.chain.rollBack(4);
    bench.chain.mineMany(10);
    expect(await pollSteps(bench)).toEqual([[16, 'all', 'deployment', 'checks']]);
    expect(bench.standing.refusal()).toBe('checkpoint-not-on-chain');
    bench.chain.mine([submitted(A)]);
    expect(await pollSteps(bench)).toEqual([[17, [A]]]);
  });

  it('accept it again when it is', async () => {
    const bench = await openFollowing();
    await bench.index.advance(NEVER);
    bench.chain.faults.header = (header) => (header.number === 9 ? { ...header, parentHash: '0xfork' } : header);
    await bench.follower.poll();
    expect(bench.standing.refusal()).toBe('checkpoint-not-on-chain');
    bench.chain.faults = {};
    bench.time.jump(10_000);
    await bench.follower.poll();
    expect(bench.standing.refusal()).toBeUndefined();
  });

  it('are bounded', async () => {
    const bench = await openFollowing({ recentLimits: { blocks: 6, events: 10 } });
    await bench.index.advance(NEVER);
    await bench.follower.poll();
    expect(floorOf(bench)).toBe(8);
    for (let i = 0; i < 20; i++) {
      bench.chain.mine([submitted(A), submitted(A), submitted(B)]);
      await bench.follower.poll();
    }
    expect(bench.follower.recent()!.headNumber).toBe(30);
    expect(floorOf(bench)).toBe(27);
    bench.chain.requests.length = 0;
    await bench.follower.poll();
    expect(bench.chain.requests).toEqual(['head']);
  });
});
