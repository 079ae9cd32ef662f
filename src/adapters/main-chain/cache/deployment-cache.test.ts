/** Cache of the deployment facts. */
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

test('reads facts once, shares the read in flight, and caches the result until it expires', async () => {
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

test('reads invalidated facts again and returns them as the last known until then', async () => {
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

test('returns facts that are invalidated during the read to its callers only', async () => {
  const early = read();
  cache.invalidate();
  const late = read();
  reads[1]!.resolve(facts(2));
  await late;
  reads[0]!.resolve(facts(1));
  expect([await early, cache.last(), await read()]).toEqual([facts(1), facts(2), facts(2)]);
  expect(reads).toHaveLength(2);
});

test('returns facts of an older block to the caller only, because changes since then are not reported again', async () => {
  const early = read(OLDER);
  const late = read();
  reads[0]!.resolve(facts(1));
  expect([await early, cache.last(), cache.fresh()]).toEqual([facts(1), facts(1), undefined]);
  reads[1]!.resolve(facts(2));
  expect([await late, cache.last(), cache.fresh()]).toEqual([facts(2), facts(2), facts(2)]);
  expect(await read(OLDER)).toEqual(facts(2));
  expect(reads).toHaveLength(2);
});

test('returns the first facts as last known even when they were invalidated during the read', async () => {
  const early = read();
  cache.invalidate();
  reads[0]!.resolve(facts(1));
  await early;
  expect(cache.last()).toEqual(facts(1));
  void read();
  expect(reads).toHaveLength(2);
});

test('does not cache a failed read', async () => {
  const failing = read();
  reads[0]!.reject(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  const next = read();
  reads[1]!.resolve(facts(1));
  expect(await next).toEqual(facts(1));
});

describe('a renewal', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const renewal = () => {
    const read = Promise.withResolvers<DeploymentFacts>();
    let isCalled = false;
    const call = () => {
      isCalled = true;
      return read.promise;
    };
    return { call, isCalled: () => isCalled, ...read };
  };
  async function storeFirst(): Promise<void> {
    const first = read();
    reads[0]!.resolve(facts(1));
    await first;
  }

  test('refreshes facts in use while they are served and counts their age from the request', async () => {
    await storeFirst();
    const [unused, early, due, second] = [renewal(), renewal(), renewal(), renewal()];
    cache.renewAging(60_001, unused.call);
    expect(await read()).toEqual(facts(1));
    now = 50_000;
    cache.renewAging(60_000, early.call);
    cache.renewAging(60_001, due.call);
    cache.renewAging(60_001, second.call);
    expect([unused, early, due, second].map(({ isCalled }) => isCalled())).toEqual([false, false, true, false]);
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

  test('delays no reader and yields to a read or an invalidation in the meantime', async () => {
    await storeFirst();
    await read();
    now = 59_000;
    const slow = renewal();
    cache.renewAging(60_001, slow.call);
    now = 60_000;
    const reader = read();
    reads[1]!.resolve(facts(2));
    expect(await reader).toEqual(facts(2));
    slow.resolve(facts(3));
    await settled();
    expect(cache.fresh()).toEqual(facts(2));
    now = 119_000;
    const forgotten = renewal();
    cache.renewAging(180_000, forgotten.call);
    cache.invalidate();
    forgotten.resolve(facts(4));
    await settled();
    expect([cache.fresh(), cache.last()]).toEqual([undefined, facts(2)]);
  });

  test('serves the cached facts until they expire when it fails, and is tried again', async () => {
    await storeFirst();
    await read();
    const [failing, next] = [renewal(), renewal()];
    cache.renewAging(60_001, failing.call);
    failing.reject(new Error('no'));
    await settled();
    expect(cache.fresh()).toEqual(facts(1));
    cache.renewAging(60_001, next.call);
    expect(next.isCalled()).toBe(true);
  });
});
