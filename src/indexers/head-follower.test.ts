import { describe, expect, it } from 'vitest';
import { createStore } from '../adapters/sql/create-store.ts';
import { AnswerRejected } from '../domain/index-rules/rejected-answer.ts';
import type { Address } from '../domain/identifiers.ts';
import type { HeadStep } from '../ports/head-feed.ts';
import { LogQueryRefused } from '../ports/main-chain-log.ts';
import { EVENTS, FakeChain, REGISTRY, emitted, submitted, transferred } from './fake-chain.ts';
import { NEVER, createBench, machine, type Bench, type BenchOptions } from './test-bench.ts';

const A = machine(11);
const B = machine(12);
const OPERATOR = `0x${'0b'.repeat(20)}` as Address;

/** A follower that has made its first poll, on a chain of some blocks. */
async function openFollowing(options: Partial<BenchOptions> = {}): Promise<Bench> {
  const chain = new FakeChain();
  chain.mineMany(10);
  const bench = createBench({ chain, store: await createStore('sqlite::memory:'), ...options });
  await bench.follower.poll();
  bench.steps.length = 0;
  chain.requests.length = 0;
  return bench;
}

/** A step in few words. */
function brief({ head, touched, deployment, checks }: HeadStep) {
  const what = touched === 'all' ? 'all' : [...touched.machines, ...touched.kybOperators];
  const more = [deployment ? ['deployment'] : [], checks ? ['checks'] : []].flat();
  return [head.number, what, ...more];
}

async function pollSteps({ follower, steps }: Bench) {
  steps.length = 0;
  await follower.poll();
  return steps.map(brief);
}

async function problemOf(bench: Bench): Promise<string> {
  try {
    await bench.follower.poll();
    return 'none';
  } catch (error) {
    if (error instanceof AnswerRejected) return error.problem;
    throw error;
  }
}

describe('the head follower', () => {
  it('begins with everything touched', async () => {
    const bench = createBench({ store: await createStore('sqlite::memory:') });
    bench.chain.mineMany(3);
    expect(await pollSteps(bench)).toEqual([[3, 'all', 'deployment', 'checks']]);
    expect(bench.steps[0]!.observedAtMilliseconds).toBe(bench.time.nowMilliseconds());
    expect(bench.follower.report()).toEqual({ headBlock: 3, reorgs: 0, unknownLogs: 0 });
  });

  it('asks once per poll and tells exactly what a new block touched', async () => {
    const bench = await openFollowing();
    bench.chain.mine([submitted(A), transferred(B)]);
    expect(await pollSteps(bench)).toEqual([[11, [A, B]]]);
    bench.chain.mine();
    expect(await pollSteps(bench)).toEqual([[12, []]]);
    expect(bench.chain.requests).toEqual(['head', 'head']);
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
    expect(bench.chain.requests).toEqual(['head', 'headers']);
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
    expect(bench.steps.every(({ touched }) => touched !== 'all')).toBe(true);
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
    expect(bench.chain.requests).toEqual(['header', 'head', 'headers']);
    expect(floorOf(bench)).toBe(5);
    expect(bench.follower.recent()!.listEvents('second', A, 5, 11)).toMatchObject([{ blockNumber: 11 }]);
  });

  it('are let go as the index advances', async () => {
    const bench = await openFollowing();
    for (let i = 0; i < 20; i++) {
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
    expect(bench.chain.requests).toEqual(['head', 'head', 'head']);
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
