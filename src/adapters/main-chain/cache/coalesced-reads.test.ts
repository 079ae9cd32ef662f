/** Coalescing of reads that must begin after the call. */
import { expect, test } from 'vitest';
import { Fault } from '../../../domain/faults.ts';
import { coalesceAfterCall } from './coalesced-reads.ts';

/** Returns reads that the test settles. */
function createReads() {
  const endings: { resolve: (n: number) => void; reject: (error: Error) => void }[] = [];
  const read = coalesceAfterCall((_key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    endings.push({ resolve, reject });
    return promise;
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { read, endings, settled };
}

test('shares the next read, which begins when the running one ends, among calls made meanwhile', async () => {
  const { read, endings, settled } = createReads();
  const first = read('a');
  const later = [read('a'), read('a'), read('a')];
  await settled();
  expect(endings).toHaveLength(1);
  endings[0]!.resolve(1);
  expect(await first).toBe(1);
  await settled();
  expect(endings).toHaveLength(2);
  const last = read('a');
  endings[1]!.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
  await settled();
  endings[2]!.resolve(3);
  expect(await last).toBe(3);
});

test('rejects only the callers of the read that failed', async () => {
  const { read, endings, settled } = createReads();
  const first = read('a');
  const second = read('a');
  endings[0]!.reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await settled();
  endings[1]!.resolve(2);
  expect(await second).toBe(2);
});

test('reads again for each caller that shared a read whose turn was refused', async () => {
  const { read, endings, settled } = createReads();
  const first = read('a');
  const later = Promise.allSettled([read('a'), read('a')]);
  endings[0]!.resolve(1);
  expect(await first).toBe(1);
  await settled();
  endings[1]!.reject(new Fault('LookupsExceeded', { retryAfterSeconds: 1 }));
  await settled();
  expect(endings).toHaveLength(3);
  endings[2]!.resolve(3);
  expect(await later).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 3 }]);
});

test('reads keys independently and caches nothing', async () => {
  const { read, endings } = createReads();
  const both = [read('a'), read('b')];
  expect(endings).toHaveLength(2);
  endings[0]!.resolve(1);
  endings[1]!.resolve(2);
  expect(await Promise.all(both)).toEqual([1, 2]);
  const again = read('a');
  expect(endings).toHaveLength(3);
  endings[2]!.resolve(3);
  expect(await again).toBe(3);
});
