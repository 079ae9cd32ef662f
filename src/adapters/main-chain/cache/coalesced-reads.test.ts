import { expect, test } from 'vitest';
import { coalesceAfterCall } from './coalesced-reads.ts';

/** Reads that end when told to; each gives its number. */
function createReads() {
  const endings: { resolve: (n: number) => void; reject: (error: Error) => void }[] = [];
  const ask = coalesceAfterCall((_key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    endings.push({ resolve, reject });
    return promise;
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { ask, endings, settled };
}

test('whoever asks while a read runs shares the next one, which begins when the first has ended', async () => {
  const { ask, endings, settled } = createReads();
  const first = ask('a');
  const later = [ask('a'), ask('a'), ask('a')];
  await settled();
  expect(endings).toHaveLength(1);
  endings[0]!.resolve(1);
  expect(await first).toBe(1);
  await settled();
  expect(endings).toHaveLength(2);
  const last = ask('a');
  endings[1]!.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
  await settled();
  endings[2]!.resolve(3);
  expect(await last).toBe(3);
});

test('a read that fails is its own callers’ failure only', async () => {
  const { ask, endings, settled } = createReads();
  const first = ask('a');
  const second = ask('a');
  endings[0]!.reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await settled();
  endings[1]!.resolve(2);
  expect(await second).toBe(2);
});

test('keys have nothing to do with each other, and nothing is kept', async () => {
  const { ask, endings } = createReads();
  const both = [ask('a'), ask('b')];
  expect(endings).toHaveLength(2);
  endings[0]!.resolve(1);
  endings[1]!.resolve(2);
  expect(await Promise.all(both)).toEqual([1, 2]);
  const again = ask('a');
  expect(endings).toHaveLength(3);
  endings[2]!.resolve(3);
  expect(await again).toBe(3);
});
