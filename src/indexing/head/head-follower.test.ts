import { describe, expect, it } from 'vitest';
import { createStore } from '../../adapters/sql/create-store.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import type { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { EVENTS, REGISTRY, emitted, submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import { A, B, openFollowing, pollSteps, problemOf } from '../../../testing/fixtures/head-follower-harness.ts';
import { createBench } from '../../../testing/fixtures/indexer-harness.ts';

const OPERATOR = `0x${'0b'.repeat(20)}` as Address;

describe('the head follower', () => {
  it('begins with everything touched', async () => {
    const bench = createBench({ store: await createStore('sqlite::memory:') });
    bench.chain.mineMany(3);
    expect(await pollSteps(bench)).toEqual([[3, 'all', 'deployment', 'checks']]);
    expect(bench.steps[0]!.observedAtMilliseconds).toBe(bench.time.nowMilliseconds());
    expect(bench.follower.report()).toEqual({ headBlock: 3, reorgs: 0, unknownLogs: 0 });
  });

  it('asks once per poll, once more for what a block logged, and tells exactly what it touched', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A), transferred(B)]);
    expect(await pollSteps(bench)).toEqual([[11, [A, B]]]);
    bench.chain.mine();
    expect(await pollSteps(bench)).toEqual([[12, []]]);
    expect(bench.chain.requests).toEqual(['head', 'block-logs', 'head']);
  });

  it('is told with a block what it logged, where the one before was asked for that', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    await bench.follower.poll();
    bench.chain.requests.length = 0;
    bench.chain.mine([submitted(A), submitted(B)]);
    bench.chain.faults.logs = (logs) => logs.slice(1);
    expect(await pollSteps(bench)).toEqual([[12, [A, B]]]);
    expect(bench.chain.requests).toEqual(['head']);
    bench.chain.mine([submitted(A)]);
    bench.chain.mine([submitted(B)]);
    bench.chain.faults = {};
    expect(await pollSteps(bench)).toEqual([[14, [A, B]]]);
    expect(bench.chain.requests).toEqual(['head', 'head', 'headers', 'block-logs']);
  });

  it('tells that the head is still the head', async () => {
    const bench = await openFollowing();
    bench.time.jump(1_000);
    expect(await pollSteps(bench)).toEqual([[10, []]]);
    expect(bench.steps[0]!.observedAtMilliseconds).toBe(bench.time.nowMilliseconds());
  });

  it('reads skipped blocks once more and tells exactly what they touched', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    bench.chain.mineMany(3);
    bench.chain.mine([submitted(B)]);
    expect(await pollSteps(bench)).toEqual([[15, [A, B]]]);
    expect(bench.chain.requests).toEqual(['head', 'headers', 'block-logs']);
  });

  it('tells of more than machines', async () => {
    const bench = await openFollowing();
    const cases = [
      [{ kind: 'operator-kyb', operator: OPERATOR }, [[OPERATOR]]],
      [{ kind: 'deployment' }, ['all', 'deployment']],
      [{ kind: 'checks' }, ['all', 'deployment', 'checks']],
      [{ kind: 'all' }, ['all']],
      [{ kind: 'unknown' }, ['all']],
      [{ kind: 'nothing' }, [[]]],
    ] as const;
    for (const [effect, expected] of cases) {
      const { number } = bench.chain.mine([emitted(effect)]);
      expect(await pollSteps(bench)).toEqual([[number, ...expected]]);
    }
    expect(bench.follower.report().unknownLogs).toBe(1);
  });

  it('leaves logs of blocks that are newer than the head to the next poll', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    bench.chain.mine([submitted(B)]);
    const behind = bench.chain.headerAt(11);
    bench.chain.faults.header = (header) => (header.number === 12 ? behind : header);
    expect(await pollSteps(bench)).toEqual([[11, [A]]]);
    bench.chain.faults = {};
    expect(await pollSteps(bench)).toEqual([[12, [B]]]);
  });

  it('moves on only when every listener was told', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    const push = bench.steps.push.bind(bench.steps);
    bench.steps.push = () => {
      throw new Error('listener');
    };
    await expect(bench.follower.poll()).rejects.toThrow('listener');
    bench.steps.push = push;
    expect(await pollSteps(bench)).toEqual([[11, [A]]]);
  });
});

describe('another chain than before', () => {
  it.each([
    ['at the same height', 1, 1],
    ['one block on', 1, 2],
    ['some blocks on', 4, 9],
    ['at a lower height', 4, 2],
    ['after a thousand blocks', 1_000, 1_001],
  ])('%s touches everything', async (_name, depth, mined) => {
    const bench = await openFollowing();
    for (let i = 0; i < depth; i++) {
      bench.chain.mine([submitted(A)]);
      await bench.follower.poll();
    }
    bench.chain.rollBack(depth);
    bench.chain.mineMany(mined);
    expect(await pollSteps(bench)).toEqual([[10 + mined, 'all', 'deployment', 'checks']]);
    expect(bench.follower.report().reorgs).toBe(1);
    bench.chain.mine([submitted(B)]);
    expect(await pollSteps(bench)).toEqual([[11 + mined, [B]]]);
  });

  it('is not what a node that is behind tells', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    await bench.follower.poll();
    bench.chain.behind = 1;
    expect(await pollSteps(bench)).toEqual([]);
    bench.time.jump(59_000);
    expect(await pollSteps(bench)).toEqual([]);
    bench.chain.behind = 0;
    expect(await pollSteps(bench)).toEqual([[11, []]]);
    expect(bench.follower.report().reorgs).toBe(0);
  });

  it('is not what a node tells that is behind now and then', async () => {
    const bench = await openFollowing();
    bench.chain.mineMany(2);
    await bench.follower.poll();
    for (const behind of [1, 0, 1, 0, 2]) {
      bench.chain.behind = behind;
      await bench.follower.poll();
      bench.time.jump(50_000);
    }
    const nothing = { machines: new Set(), kybOperators: new Set() };
    expect(bench.steps.map(({ touched }) => touched)).toEqual([nothing, nothing, nothing]);
  });

  it('is what a node tells that stays behind', async () => {
    const bench = await openFollowing();
    bench.chain.mineMany(2);
    await bench.follower.poll();
    bench.chain.rollBack(2);
    expect(await pollSteps(bench)).toEqual([]);
    bench.time.jump(60_000);
    expect(await pollSteps(bench)).toEqual([[10, 'all', 'deployment', 'checks']]);
  });

  it('is assumed where too much happened to be asked for', async () => {
    const bench = await openFollowing();
    bench.chain.mineMany(5);
    bench.chain.faults.before = (request) => {
      if (request === 'head') throw new LogQueryRefused('range-too-large');
    };
    expect(await pollSteps(bench)).toEqual([[15, 'all', 'deployment', 'checks']]);
    bench.chain.faults = {};
    bench.chain.mine([submitted(A)]);
    expect(await pollSteps(bench)).toEqual([[16, [A]]]);
  });

  it('is assumed where more blocks were skipped than are kept', async () => {
    const bench = await openFollowing({ recentLimits: { blocks: 8, events: 100 } });
    bench.chain.mineMany(9);
    expect(await pollSteps(bench)).toEqual([[19, 'all', 'deployment', 'checks']]);
  });
});

describe('what a node withholds from the head', () => {
  it('is got from it by block', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    bench.chain.faults.logs = () => [];
    expect(await pollSteps(bench)).toEqual([[11, [A]]]);
    expect(bench.chain.requests).toEqual(['head', 'block-logs']);
  });

  it('is got from it by block where another log of the same contract was told', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A), submitted(B)]);
    bench.chain.faults.logs = (logs) => logs.slice(1);
    expect(await pollSteps(bench)).toEqual([[11, [A, B]]]);
  });

  it('is noticed where only the block hides it, and others of the block set its bits', async () => {
    const bench = await openFollowing();
    bench.chain.mine([transferred(A), transferred(A)]);
    bench.chain.faults.blockLogs = (logs) => logs.slice(1);
    expect(await problemOf(bench)).toBe('withheld-logs');
    expect(bench.steps).toEqual([]);
  });

  it('keeps the head from moving where it cannot be got', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    bench.chain.faults.logs = () => [];
    bench.chain.faults.blockLogs = () => [];
    expect(await problemOf(bench)).toBe('withheld-logs');
    expect(bench.steps).toEqual([]);
    bench.chain.faults = {};
    expect(await pollSteps(bench)).toEqual([[11, [A]]]);
  });

  it('is nothing where others logged what a bloom names', async () => {
    const bench = await openFollowing();
    bench.chain.mine([], [EVENTS, REGISTRY]);
    expect(await pollSteps(bench)).toEqual([[11, []]]);
  });

  it.each([
    ['duplicated', 'out-of-order', (chain: FakeChain) => (chain.faults.logs = (logs) => [...logs, ...logs])],
    [
      'of a fork',
      'hash-mismatch',
      (chain: FakeChain) => (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockHash: '0x' }))),
    ],
    [
      'of older blocks',
      'out-of-range',
      (chain: FakeChain) => (chain.faults.logs = (logs) => [{ ...logs[0]!, blockNumber: 3 }, ...logs]),
    ],
    [
      'denied by the bloom',
      'not-in-bloom',
      (chain: FakeChain) => (chain.faults.header = (header) => ({ ...header, logsBloom: `0x${'0'.repeat(512)}` })),
    ],
  ])('or tells %s is not believed', async (_name, problem, lie) => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A)]);
    lie(bench.chain);
    expect(await problemOf(bench)).toBe(problem);
    expect(bench.steps).toEqual([]);
    bench.chain.faults = {};
    expect(await pollSteps(bench)).toEqual([[11, [A]]]);
  });
});
