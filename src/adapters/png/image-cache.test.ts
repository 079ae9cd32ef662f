import { expect, test } from 'vitest';
import { ImageCache } from './image-cache.ts';

test('the pictures asked for last are kept, as many as there is room for', () => {
  const kept = new ImageCache(30);
  for (const name of ['a', 'b', 'c']) kept.add(name, Buffer.alloc(10, name));
  expect(kept.get('a')).toEqual(Buffer.alloc(10, 'a'));
  kept.add('d', Buffer.alloc(15));
  expect(['a', 'b', 'c', 'd'].map((name) => kept.get(name)?.length)).toEqual([10, undefined, undefined, 15]);
  kept.add('d', Buffer.alloc(20));
  expect(['a', 'd'].map((name) => kept.get(name)?.length)).toEqual([10, 20]);
  kept.add('large', Buffer.alloc(31));
  expect(['a', 'd', 'large'].map((name) => kept.get(name)?.length)).toEqual([undefined, undefined, undefined]);
});
