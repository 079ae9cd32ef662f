/** Tests expiry and eviction of the TTL cache. */
import { expect, it } from 'vitest';
import { createTtlCache } from './ttl-cache.ts';

it('expires old entries and evicts the oldest one when full', () => {
  const time = { milliseconds: 1_050 };
  const clock = { nowMilliseconds: () => time.milliseconds };
  const cache = createTtlCache<string, number>({ clock, maxAgeMilliseconds: 100, maxEntries: 2 });
  cache.set('a', 1, 1_000);
  cache.set('b', 2, 1_000);
  cache.set('a', 3, 1_050); // set again: no longer the oldest
  cache.set('c', 4, 1_050);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toStrictEqual([3, undefined, 4]);
  time.milliseconds = 1_149;
  expect(cache.get('a')).toBe(3);
  time.milliseconds = 1_150;
  expect(cache.get('a')).toBeUndefined();
  cache.set('c', 5, 1_150);
  cache.delete('c');
  expect(cache.get('c')).toBeUndefined();
});
