/** Tests the LRU cache of rendered images. */
import { expect, test } from 'vitest';
import { ImageCache } from './image-cache.ts';

test('evicts the least recently used images when the byte limit is exceeded', () => {
  const cache = new ImageCache(30);
  for (const name of ['a', 'b', 'c']) cache.set(name, Buffer.alloc(10, name));
  expect(cache.get('a')).toEqual(Buffer.alloc(10, 'a'));
  cache.set('d', Buffer.alloc(15));
  expect(['a', 'b', 'c', 'd'].map((name) => cache.get(name)?.length)).toEqual([10, undefined, undefined, 15]);
  cache.set('d', Buffer.alloc(20));
  expect(['a', 'd'].map((name) => cache.get(name)?.length)).toEqual([10, 20]);
  cache.set('large', Buffer.alloc(31));
  expect(['a', 'd', 'large'].map((name) => cache.get(name)?.length)).toEqual([undefined, undefined, undefined]);
});
