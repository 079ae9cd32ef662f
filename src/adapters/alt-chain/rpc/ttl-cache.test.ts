/** What falls when there is no room, and when it is old? */
import { expect, it } from 'vitest';
import { createTtlCache } from './ttl-cache.ts';

it('forgets what is old, and the oldest when there is no room', () => {
  const time = { milliseconds: 1_050 };
  const clock = { nowMilliseconds: () => time.milliseconds };
  const memory = createTtlCache<string, number>({ clock, maxAgeMilliseconds: 100, maxEntries: 2 });
  memory.keep('a', 1, 1_000);
  memory.keep('b', 2, 1_000);
  memory.keep('a', 3, 1_050); // learned anew: no longer the oldest
  memory.keep('c', 4, 1_050);
  expect(['a', 'b', 'c'].map((key) => memory.recall(key))).toStrictEqual([3, undefined, 4]);
  time.milliseconds = 1_149;
  expect(memory.recall('a')).toBe(3);
  time.milliseconds = 1_150;
  expect(memory.recall('a')).toBeUndefined();
  memory.keep('c', 5, 1_150);
  memory.forget('c');
  expect(memory.recall('c')).toBeUndefined();
});
