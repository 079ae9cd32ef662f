import { beforeEach, describe, expect, test } from 'vitest';
import type { DeploymentFacts } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { startDeadline } from '../../rpc/deadline.ts';
import { createDeploymentCache, type DeploymentCache } from './deployment-cache.ts';

const HEAD = { number: 21 } as Header;
const OLDER = { number: 20 } as Header;

let now: number;
let reads: ReturnType<typeof Promise.withResolvers<DeploymentFacts>>[];
let cache: DeploymentCache;

beforeEach(() => {
  now = 0;
  reads = [];
  cache = createDeploymentCache({
    clock: { nowMilliseconds: () => now },
    maxAgeMilliseconds: 60_000,
    isNewest: (block) => block === HEAD,
    readFacts() {
      const read = Promise.withResolvers<DeploymentFacts>();
      reads.push(read);
      return read.promise;
    },
  });
});

const read = (block = HEAD) => cache.read(block, startDeadline(1_000, 1_000));
const facts = (tierCount: number) => ({ tierCount }) as DeploymentFacts;

test('facts are read once, shared while they are read, and kept for a while', async () => {
  const readers = [read(), read()];
  expect(cache.last()).toBeUndefined();
  reads[0]!.resolve(facts(1));
  expect(await Promise.all(readers)).toEqual([facts(1), facts(1)]);
  now = 59_999;
  expect(await read()).toEqual(facts(1));
  expect(reads).toHaveLength(1);
  now = 60_000;
  const later = read();
  reads[1]!.resolve(facts(2));
  expect(await later).toEqual(facts(2));
});

test('facts that were forgotten are read again, and remain the last known until then', async () => {
  const first = read();
  reads[0]!.resolve(facts(1));
  await first;
  cache.invalidate();
  expect(cache.last()).toEqual(facts(1));
  const second = read();
  expect(reads).toHaveLength(2);
  reads[1]!.resolve(facts(2));
  expect([await second, cache.last()]).toEqual([facts(2), facts(2)]);
});

test('facts that are forgotten while they are read serve their readers only', async () => {
  const early = read();
  cache.invalidate();
  const late = read();
  reads[1]!.resolve(facts(2));
  await late;
  reads[0]!.resolve(facts(1));
  expect([await early, cache.last(), await read()]).toEqual([facts(1), facts(2), facts(2)]);
  expect(reads).toHaveLength(2);
});

test('facts of an older block serve their reader only: what changed since is not told again', async () => {
  const early = read(OLDER);
  const late = read();
  reads[0]!.resolve(facts(1));
  expect([await early, cache.last(), cache.fresh()]).toEqual([facts(1), facts(1), undefined]);
  reads[1]!.resolve(facts(2));
  expect([await late, cache.last(), cache.fresh()]).toEqual([facts(2), facts(2), facts(2)]);
  expect(await read(OLDER)).toEqual(facts(2));
  expect(reads).toHaveLength(2);
});

test('the first facts ever are known even when they were forgotten meanwhile, but do not hold', async () => {
  const early = read();
  cache.invalidate();
  reads[0]!.resolve(facts(1));
  await early;
  expect(cache.last()).toEqual(facts(1));
  void read();
  expect(reads).toHaveLength(2);
});

test('a read that fails is not kept', async () => {
  const failing = read();
  reads[0]!.reject(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  const next = read();
  reads[1]!.resolve(facts(1));
  expect(await next).toEqual(facts(1));
});

describe('renewing', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const renewal = () => {
    const read = Promise.withResolvers<DeploymentFacts>();
    let isAsked = false;
    const ask = () => {
      isAsked = true;
      return read.promise;
    };
    return { ask, isAsked: () => isAsked, ...read };
  };
  async function keepFirst(): Promise<void> {
    const first = read();
    reads[0]!.resolve(facts(1));
    await first;
  }

  test('facts in use are renewed while they serve, and are as old as that question', async () => {
    await keepFirst();
    const [unused, early, due, second] = [renewal(), renewal(), renewal(), renewal()];
    cache.renewAging(60_001, unused.ask);
    expect(await read()).toEqual(facts(1));
    now = 50_000;
    cache.renewAging(60_000, early.ask);
    cache.renewAging(60_001, due.ask);
    cache.renewAging(60_001, second.ask);
    expect([unused, early, due, second].map(({ isAsked }) => isAsked())).toEqual([false, false, true, false]);
    now = 56_000;
    expect(cache.fresh()).toEqual(facts(1));
    due.resolve(facts(2));
    await settled();
    now = 109_999;
    expect(cache.fresh()).toEqual(facts(2));
    now = 110_000;
    expect(cache.fresh()).toBeUndefined();
    expect(reads).toHaveLength(1);
  });

  test('nobody waits for it, and what is read or forgotten meanwhile counts', async () => {
    await keepFirst();
    await read();
    now = 59_000;
    const slow = renewal();
    cache.renewAging(60_001, slow.ask);
    now = 60_000;
    const reader = read();
    reads[1]!.resolve(facts(2));
    expect(await reader).toEqual(facts(2));
    slow.resolve(facts(3));
    await settled();
    expect(cache.fresh()).toEqual(facts(2));
    now = 119_000;
    const forgotten = renewal();
    cache.renewAging(180_000, forgotten.ask);
    cache.invalidate();
    forgotten.resolve(facts(4));
    await settled();
    expect([cache.fresh(), cache.last()]).toEqual([undefined, facts(2)]);
  });

  test('facts are kept to their age where it fails, and it is tried again', async () => {
    await keepFirst();
    await read();
    const [failing, next] = [renewal(), renewal()];
    cache.renewAging(60_001, failing.ask);
    failing.reject(new Error('no'));
    await settled();
    expect(cache.fresh()).toEqual(facts(1));
    cache.renewAging(60_001, next.ask);
    expect(next.isAsked()).toBe(true);
  });
});
