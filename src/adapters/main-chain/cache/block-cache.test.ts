import { expect, test } from 'vitest';
import type { Header } from '../../../ports/main-chain.ts';
import { createBlockCache } from './block-cache.ts';

const block = (number: number, hash = `0x${number}`) => ({ number, hash }) as Header;

function open(maxEntries = 10) {
  const time = { milliseconds: 1_000 };
  const asked: string[] = [];
  const clock = { nowMilliseconds: () => time.milliseconds };
  const keep = createBlockCache<string, string>({
    clock,
    maxEntries,
    maxAgeMilliseconds: (value) => (value.startsWith('flawed') ? 10 : 100),
  });
  /** Which reading is given: they are numbered in the order in which they are made. */
  const get = (at: Header, key: string, read = async (reading: string) => reading) =>
    keep.get(at, key, () => read(`${key} ${asked.push(key)}`));
  return { time, asked, keep, get };
}

test('a block is read once, also while it is being read', async () => {
  const { get } = open();
  expect(await Promise.all([get(block(1), 'a'), get(block(1), 'a'), get(block(1), 'b')])).toEqual([
    'a 1',
    'a 1',
    'b 2',
  ]);
  expect(await get(block(1), 'a')).toBe('a 1');
});

test('the next block begins anew, and so does another block of the same number', async () => {
  const { get } = open();
  expect(await get(block(1), 'a')).toBe('a 1');
  expect(await get(block(2), 'a')).toBe('a 2');
  expect(await get(block(2, '0xother'), 'a')).toBe('a 3');
});

test('a block that is not the newest any more is read, and neither keeps nor drops', async () => {
  const { get, keep } = open();
  await get(block(2), 'a');
  expect([await get(block(1), 'a'), await get(block(1), 'a'), await get(block(2), 'a')]).toEqual(['a 2', 'a 3', 'a 1']);
  expect([keep.has(block(1), 'a'), keep.has(block(2), 'a'), keep.has(block(2), 'b')]).toEqual([false, true, false]);
});

test('what was read stays for as long as it may', async () => {
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

test('a clock that was set back makes everything old', async () => {
  const { get, time } = open();
  await get(block(1), 'a');
  time.milliseconds -= 1;
  expect(await get(block(1), 'a')).toBe('a 2');
});

test('a failure is told to everyone who waits, and not kept', async () => {
  const { get } = open();
  const fail = () => Promise.reject(new Error('unreadable'));
  const first = get(block(1), 'a', fail);
  await expect(Promise.all([first, get(block(1), 'a')])).rejects.toThrow('unreadable');
  expect(await get(block(1), 'a')).toBe('a 2');
});

test('a read that began in an earlier block is not taken for one of this block', async () => {
  const { get } = open();
  let finish: (value: string) => void = () => undefined;
  const slow = get(block(1), 'a', () => new Promise((resolve) => (finish = resolve)));
  expect(await get(block(2), 'a')).toBe('a 2');
  finish('late');
  expect([await slow, await get(block(2), 'a')]).toEqual(['late', 'a 2']);
});

test('there are never more than so many: the first falls first', async () => {
  const { get, keep } = open(2);
  for (const key of ['a', 'b', 'c']) await get(block(1), key);
  expect(['a', 'b', 'c'].map((key) => keep.has(block(1), key))).toEqual([false, true, true]);
});
