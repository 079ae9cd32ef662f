import { describe, expect, it } from 'vitest';
import { VersionedCache } from './versioned-cache.ts';

const KEY = {};

describe('a computed value', () => {
  it('is computed once per object and version', () => {
    const cache = new VersionedCache<object, number[]>();
    const first = cache.get(KEY, [1, 'a'], () => [1]);
    expect(cache.get(KEY, [1, 'a'], () => [2])).toBe(first);
    expect(cache.get({}, [1, 'a'], () => [3])).toEqual([3]);
    expect(cache.get(KEY, [1, 'b'], () => [4])).toEqual([4]);
    expect(cache.get(KEY, [1, 'a'], () => [5])).toEqual([5]);
  });

  it('is not cached when its computation throws', () => {
    const cache = new VersionedCache<object, string>();
    const fail = (): string => {
      throw new Error('failed');
    };
    expect(() => cache.get(KEY, [], fail)).toThrow('failed');
    expect(cache.get(KEY, [], () => 'computed')).toBe('computed');
  });
});

describe('a read value', () => {
  it('is shared while it is pending and returned without a promise afterwards', async () => {
    const cache = new VersionedCache<object, string>();
    const pending = cache.get(KEY, [], async () => 'read');
    expect(cache.get(KEY, [], async () => 'again')).toBe(pending);
    expect(await pending).toBe('read');
    expect(cache.get(KEY, [], async () => 'again')).toBe('read');
  });

  it.each<[name: string, read: () => Promise<string | undefined>]>([
    ['the read fails', () => Promise.reject(new Error('failed'))],
    ['the result is undefined', async () => undefined],
  ])('is read again after %s', async (_name, read) => {
    const cache = new VersionedCache<object, string | undefined>();
    await Promise.allSettled([cache.get(KEY, [], read)]);
    expect(await cache.get(KEY, [], async () => 'again')).toBe('again');
  });

  it('stays cached when a read of an older version fails later', async () => {
    const cache = new VersionedCache<object, string>();
    const old = Promise.withResolvers<string>();
    const failure = expect(cache.get(KEY, [1], () => old.promise)).rejects.toThrow('failed');
    await cache.get(KEY, [2], async () => 'new');
    old.reject(new Error('failed'));
    await failure;
    expect(cache.get(KEY, [2], async () => 'again')).toBe('new');
  });

  it('is dropped where it is outdated, but not while it is being read', async () => {
    const cache = new VersionedCache<object, string>();
    const pending = cache.get(KEY, [], async () => 'read');
    cache.drop(KEY, () => true);
    expect(cache.get(KEY, [], async () => 'again')).toBe(pending);
    await pending;
    cache.drop(KEY, (value) => value === 'older');
    expect(cache.get(KEY, [], async () => 'again')).toBe('read');
    cache.drop(KEY, (value) => value === 'read');
    expect(await cache.get(KEY, [], async () => 'again')).toBe('again');
  });
});
