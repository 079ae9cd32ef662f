/** Cache of reads at the newest block. */
import { expect, test } from 'vitest';
import type { Header } from '../../../ports/main-chain.ts';
import { createBlockCache } from './block-cache.ts';

const block = (number: number, hash = `0x${number}`) => ({ number, hash }) as Header;

function open(maxEntries = 10) {
  const time = { milliseconds: 1_000 };
  const reads: string[] = [];
  const clock = { nowMilliseconds: () => time.milliseconds };
  const cache = createBlockCache<string, string>({
    clock,
    maxEntries,
    maxAgeMilliseconds: (value) => (value.startsWith('flawed') ? 10 : 100),
  });
  /** Reads the key; each result carries the serial number of its read. */
  const get = (at: Header, key: string, read = async (reading: string) => reading) =>
    cache.get(at, key, () => read(`${key} ${reads.push(key)}`));
  return { time, cache, get };
}

test('shares one read per block and key, also while it is in flight', async () => {
  const { get } = open();
  expect(await Promise.all([get(block(1), 'a'), get(block(1), 'a'), get(block(1), 'b')])).toEqual([
    'a 1',
    'a 1',
    'b 2',
  ]);
  expect(await get(block(1), 'a')).toBe('a 1');
});

test('clears the cache at the next block and at another block of the same number', async () => {
  const { get } = open();
  expect(await get(block(1), 'a')).toBe('a 1');
  expect(await get(block(2), 'a')).toBe('a 2');
  expect(await get(block(2, '0xother'), 'a')).toBe('a 3');
});

test('reads at an older block without storing or clearing anything', async () => {
  const { get, cache } = open();
  await get(block(2), 'a');
  expect([await get(block(1), 'a'), await get(block(1), 'a'), await get(block(2), 'a')]).toEqual(['a 2', 'a 3', 'a 1']);
  expect([cache.has(block(1), 'a'), cache.has(block(2), 'a'), cache.has(block(2), 'b')]).toEqual([false, true, false]);
});

test('expires each value at its own maximum age', async () => {
  const { get, time } = open();
  await get(block(1), 'sound');
  await get(block(1), 'flawed');
  time.milliseconds += 9;
  expect([await get(block(1), 'sound'), await get(block(1), 'flawed')]).toEqual(['sound 1', 'flawed 2']);
  time.milliseconds += 1;
  expect([await get(block(1), 'sound'), await get(block(1), 'flawed')]).toEqual(['sound 1', 'flawed 3']);
  time.milliseconds += 90;
  expect(await get(block(1), 'sound')).toBe('sound 4');
});

test('treats every entry as expired when the clock was set back', async () => {
  const { get, time } = open();
  await get(block(1), 'a');
  time.milliseconds -= 1;
  expect(await get(block(1), 'a')).toBe('a 2');
});

test('rejects all waiting callers when a read fails, and caches nothing', async () => {
  const { get } = open();
  const fail = () => Promise.reject(new Error('unreadable'));
  const first = get(block(1), 'a', fail);
  await expect(Promise.all([first, get(block(1), 'a')])).rejects.toThrow('unreadable');
  expect(await get(block(1), 'a')).toBe('a 2');
});

test('does not serve a read that began at an earlier block', async () => {
  const { get } = open();
  let finish: (value: string) => void = () => undefined;
  const slow = get(block(1), 'a', () => new Promise((resolve) => (finish = resolve)));
  expect(await get(block(2), 'a')).toBe('a 2');
  finish('late');
  expect([await slow, await get(block(2), 'a')]).toEqual(['late', 'a 2']);
});

test('drops the oldest entry beyond the maximum', async () => {
  const { get, cache } = open(2);
  for (const key of ['a', 'b', 'c']) await get(block(1), key);
  expect(['a', 'b', 'c'].map((key) => cache.has(block(1), key))).toEqual([false, true, true]);
});
