import { describe, expect, it } from 'vitest';
import { buildBloom, ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import type { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { EVENTS, REGISTRY, emitted, submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import {
  A,
  B,
  limitRange,
  openFollowing,
  pollSteps,
  problemOf,
} from '../../../testing/fixtures/head-follower-harness.ts';
import { createHarness } from '../../../testing/fixtures/indexer-harness.ts';

const OPERATOR = `0x${'0b'.repeat(20)}` as Address;

/** Bloom of a block in which other contracts logged. */
const FOREIGN_BLOOM = buildBloom([`0x${'cc'.repeat(20)}`]);

describe('the head follower', () => {
  it('reports everything as touched on the first poll', async () => {
    const harness = createHarness({ store: await createMemoryStore() });
    harness.chain.mineMany(3);
    expect(await pollSteps(harness)).toEqual([[3, 'all', 'deployment', 'checks']]);
    expect(harness.steps[0]!.observedAtMilliseconds).toBe(harness.time.nowMilliseconds());
    expect(harness.follower.report()).toEqual({ reorgs: 0, unknownLogs: 0 });
  });

  it('sends one request per poll, one more for the logs of a block, and reports exactly what was touched', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A), transferred(B)]);
    expect(await pollSteps(harness)).toEqual([[11, [A, B]]]);
    harness.chain.mine();
    expect(await pollSteps(harness)).toEqual([[12, []]]);
    expect(harness.chain.requests).toEqual(['head', 'block-logs', 'head']);
  });

  it('receives the logs together with a block once the one before it has logged', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    await harness.follower.poll();
    harness.chain.requests.length = 0;
    harness.chain.mine([submitted(A), submitted(B)]);
    harness.chain.faults.logs = (logs) => logs.slice(1);
    expect(await pollSteps(harness)).toEqual([[12, [A, B]]]);
    expect(harness.chain.requests).toEqual(['head']);
    harness.chain.mine([submitted(A)]);
    harness.chain.mine([submitted(B)]);
    harness.chain.faults = {};
    expect(await pollSteps(harness)).toEqual([[14, [A, B]]]);
    expect(harness.chain.requests).toEqual(['head', 'head', 'headers', 'block-logs']);
  });

  it('reports an unchanged head', async () => {
    const harness = await openFollowing();
    harness.time.jump(1_000);
    expect(await pollSteps(harness)).toEqual([[10, []]]);
    expect(harness.steps[0]!.observedAtMilliseconds).toBe(harness.time.nowMilliseconds());
  });

  it('reads skipped blocks and reports exactly what they touched', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    harness.chain.mineMany(3);
    harness.chain.mine([submitted(B)]);
    expect(await pollSteps(harness)).toEqual([[15, [A, B]]]);
    expect(harness.chain.requests).toEqual(['head', 'headers', 'block-logs']);
  });

  it('reads skipped blocks in smaller ranges where the node refuses theirs', async () => {
    const harness = await openFollowing();
    limitRange(harness.chain, 5);
    harness.chain.mine([submitted(A)]);
    harness.chain.mineMany(10);
    harness.chain.mine([submitted(B)]);
    expect(await pollSteps(harness)).toEqual([[22, [A, B]]]);
    expect(harness.follower.report().reorgs).toBe(0);
  });

  it('reports KYB, deployment and code changes besides machines', async () => {
    const harness = await openFollowing();
    const cases = [
      [{ kind: 'operator-kyb', operator: OPERATOR }, [[OPERATOR]]],
      [{ kind: 'deployment' }, ['all', 'deployment']],
      [{ kind: 'checks' }, ['all', 'deployment', 'checks']],
      [{ kind: 'all' }, ['all']],
      [{ kind: 'unknown' }, ['all']],
      [{ kind: 'nothing' }, [[]]],
    ] as const;
    for (const [effect, expected] of cases) {
      const { number } = harness.chain.mine([emitted(effect)]);
      expect(await pollSteps(harness)).toEqual([[number, ...expected]]);
    }
    expect(harness.follower.report().unknownLogs).toBe(1);
  });

  it('leaves logs of blocks above the head to the next poll', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    harness.chain.mine([submitted(B)]);
    const behind = harness.chain.headerAt(11);
    harness.chain.faults.header = (header) => (header.number === 12 ? behind : header);
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
    harness.chain.faults = {};
    expect(await pollSteps(harness)).toEqual([[12, [B]]]);
  });

  it('advances only after every listener was notified', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    const push = harness.steps.push.bind(harness.steps);
    harness.steps.push = () => {
      throw new Error('listener');
    };
    await expect(harness.follower.poll()).rejects.toThrow('listener');
    harness.steps.push = push;
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
  });
});

describe('a fork', () => {
  it.each([
    ['a fork at the same height', 1, 1],
    ['a fork one block higher', 1, 2],
    ['a fork some blocks higher', 4, 9],
    ['a fork at a lower height', 4, 2],
    ['a fork of a thousand blocks', 1_000, 1_001],
  ])('invalidates everything after %s', async (_name, depth, mined) => {
    const harness = await openFollowing();
    for (let i = 0; i < depth; i++) {
      harness.chain.mine([submitted(A)]);
      await harness.follower.poll();
    }
    harness.chain.rollBack(depth);
    harness.chain.mineMany(mined);
    expect(await pollSteps(harness)).toEqual([[10 + mined, 'all', 'deployment', 'checks']]);
    expect(harness.follower.report().reorgs).toBe(1);
    harness.chain.mine([submitted(B)]);
    expect(await pollSteps(harness)).toEqual([[11 + mined, [B]]]);
  });

  it('is not assumed when a node is behind', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    await harness.follower.poll();
    harness.chain.behind = 1;
    expect(await pollSteps(harness)).toEqual([]);
    harness.time.jump(59_000);
    expect(await pollSteps(harness)).toEqual([]);
    harness.chain.behind = 0;
    expect(await pollSteps(harness)).toEqual([[11, []]]);
    expect(harness.follower.report().reorgs).toBe(0);
  });

  it('is not assumed when a node is behind now and then', async () => {
    const harness = await openFollowing();
    harness.chain.mineMany(2);
    await harness.follower.poll();
    for (const behind of [1, 0, 1, 0, 2]) {
      harness.chain.behind = behind;
      await harness.follower.poll();
      harness.time.jump(50_000);
    }
    const nothing = { machines: new Set(), kybOperators: new Set(), holders: new Set() };
    expect(harness.steps.map(({ touched }) => touched)).toEqual([nothing, nothing, nothing]);
  });

  it('is assumed when a node stays behind', async () => {
    const harness = await openFollowing();
    harness.chain.mineMany(2);
    await harness.follower.poll();
    harness.chain.rollBack(2);
    expect(await pollSteps(harness)).toEqual([]);
    harness.time.jump(60_000);
    expect(await pollSteps(harness)).toEqual([[10, 'all', 'deployment', 'checks']]);
  });

  it('is assumed when too much has happened to query at once', async () => {
    const harness = await openFollowing();
    harness.chain.mineMany(5);
    harness.chain.faults.before = (request) => {
      if (request === 'head' || request === 'logs') throw new LogQueryRefused('range-too-large');
    };
    expect(await pollSteps(harness)).toEqual([[15, 'all', 'deployment', 'checks']]);
    harness.chain.faults = {};
    harness.chain.mine([submitted(A)]);
    expect(await pollSteps(harness)).toEqual([[16, [A]]]);
  });

  it('is assumed when more blocks were skipped than are retained', async () => {
    const harness = await openFollowing({ recentLimits: { blocks: 8, events: 100 } });
    harness.chain.mineMany(9);
    expect(await pollSteps(harness)).toEqual([[19, 'all', 'deployment', 'checks']]);
  });
});

describe('withheld head logs', () => {
  it('are recovered by querying the block', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    harness.chain.faults.logs = () => [];
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
    expect(harness.chain.requests).toEqual(['head', 'block-logs']);
  });

  it('are recovered by block when another log of the same contract was returned', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A), submitted(B)]);
    harness.chain.faults.logs = (logs) => logs.slice(1);
    expect(await pollSteps(harness)).toEqual([[11, [A, B]]]);
  });

  it('are noticed when only the block hides them and other logs set the same bloom bits', async () => {
    const harness = await openFollowing();
    harness.chain.mine([transferred(A), transferred(A)]);
    harness.chain.faults.blockLogs = (logs) => logs.slice(1);
    expect(await problemOf(harness)).toBe('withheld-logs');
    expect(harness.steps).toEqual([]);
  });

  it('keep the head from advancing when they cannot be recovered', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    harness.chain.faults.logs = () => [];
    harness.chain.faults.blockLogs = () => [];
    expect(await problemOf(harness)).toBe('withheld-logs');
    expect(harness.steps).toEqual([]);
    harness.chain.faults = {};
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
  });

  it('are recovered from receipts that match their header, whatever the bloom says', async () => {
    const harness = await openFollowing();
    harness.chain.servesReceipts = true;
    harness.chain.mine([submitted(A)]);
    harness.chain.faults.logs = () => [];
    harness.chain.faults.blockLogs = () => [];
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
  });

  it('keep the head from advancing when receipts do not match their header either', async () => {
    const harness = await openFollowing();
    harness.chain.servesReceipts = true;
    harness.chain.mine([submitted(A)]);
    harness.chain.faults.logs = () => [];
    harness.chain.faults.blockLogs = () => [];
    harness.chain.faults.receipts = () => 'unproven';
    expect(await problemOf(harness)).toBe('withheld-logs');
    expect(harness.steps).toEqual([]);
  });

  it('are not assumed when other contracts set the bloom bits', async () => {
    const harness = await openFollowing();
    harness.chain.mine([], [EVENTS, REGISTRY]);
    expect(await pollSteps(harness)).toEqual([[11, []]]);
  });

  it.each([
    ['duplicate logs', 'out-of-order', (chain: FakeChain) => (chain.faults.logs = (logs) => [...logs, ...logs])],
    [
      'logs of a fork',
      'hash-mismatch',
      (chain: FakeChain) => (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockHash: '0x' }))),
    ],
    [
      'logs of older blocks',
      'out-of-range',
      (chain: FakeChain) => (chain.faults.logs = (logs) => [{ ...logs[0]!, blockNumber: 3 }, ...logs]),
    ],
    [
      'logs that the bloom excludes',
      'not-in-bloom',
      (chain: FakeChain) => (chain.faults.header = (header) => ({ ...header, logsBloom: FOREIGN_BLOOM })),
    ],
  ])('are rejected when the node reports %s', async (_name, problem, falsify) => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    falsify(harness.chain);
    expect(await problemOf(harness)).toBe(problem);
    expect(harness.steps).toEqual([]);
    harness.chain.faults = {};
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
  });

  it('are read by hash on a chain of zero blooms, and found where the first query hid them', async () => {
    const harness = await openFollowing();
    harness.chain.mine([submitted(A)]);
    harness.chain.faults.header = (header) => ({ ...header, logsBloom: ZERO_BLOOM, receiptsRoot: undefined });
    harness.chain.faults.logs = () => [];
    expect(await pollSteps(harness)).toEqual([[11, [A]]]);
  });
});
