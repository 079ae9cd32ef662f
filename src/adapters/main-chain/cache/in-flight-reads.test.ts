/** Reads in flight: sharing, and results that are no longer stored. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createInFlightReads, type InFlightReads } from './in-flight-reads.ts';

let reads: InFlightReads<string, number, string>;
let stored: number[];

beforeEach(() => {
  reads = createInFlightReads();
  stored = [];
});

function start(key: string, info = '') {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  reads.start(key, promise, info, (value) => stored.push(value));
  return { promise, resolve, reject };
}

describe('a read in flight', () => {
  test('is current until it succeeds, and is then stored', async () => {
    const read = start('a', 'first');
    expect(reads.get('a')).toEqual({ result: read.promise, info: 'first' });
    expect(reads.get('b')).toBeUndefined();
    read.resolve(1);
    await read.promise;
    expect([reads.get('a'), stored]).toEqual([undefined, [1]]);
  });

  test('is removed when it fails, and nothing is stored', async () => {
    const read = start('a');
    read.reject(new Error('unreadable'));
    await expect(read.promise).rejects.toThrow('unreadable');
    expect([reads.get('a'), stored]).toEqual([undefined, []]);
  });

  test('is not stored after a newer read of the key replaces it', async () => {
    const [early, late] = [start('a'), start('a')];
    early.resolve(1);
    await early.promise;
    expect(reads.get('a')?.result).toBe(late.promise);
    late.resolve(2);
    await late.promise;
    expect(stored).toEqual([2]);
  });

  test('is not stored once it is superseded, alone or with all others', async () => {
    const [one, other, third] = [start('a'), start('b'), start('c')];
    reads.supersede('a');
    one.resolve(1);
    other.resolve(2);
    await Promise.all([one.promise, other.promise]);
    reads.supersedeAll();
    third.resolve(3);
    await third.promise;
    expect(stored).toEqual([2]);
  });
});
