import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import { isObservationFresh, judgeIndexFreshness, judgeObservationAge } from './index-freshness.ts';

const NOW = 1_800_000_000_000;

function judge(indexedBlock: number | undefined, headBlock: number | undefined, ageSeconds: number | undefined) {
  const headObservedAtMilliseconds = ageSeconds === undefined ? undefined : NOW - ageSeconds * 1000;
  return judgeIndexFreshness({ indexedBlock, headBlock, headObservedAtMilliseconds }, NOW, 60);
}

describe('judgeIndexFreshness', () => {
  it('returns fresh up to 100 blocks behind the head', () => {
    rule('limits.index-lag');
    expect(judge(100, 200, 11)).toEqual({
      kind: 'fresh',
      indexedBlock: 100,
      headBlock: 200,
      lagBlocks: 100,
      headObservedAgeSeconds: 11,
    });
    expect(judge(100, 201, 11)).toEqual({ kind: 'syncing', indexedBlock: 100, headBlock: 201 });
  });

  it('returns fresh up to ten poll intervals after the head was read', () => {
    rule('limits.index-lag');
    expect(judge(100, 100, 600).kind).toBe('fresh');
    expect(judge(100, 100, 600.001)).toEqual({ kind: 'stale', headObservedAgeSeconds: 600 });
  });

  it('judges age before lag', () => {
    expect(judge(100, 900, 601)).toEqual({ kind: 'stale', headObservedAgeSeconds: 601 });
  });

  it('returns syncing until something is indexed and the head was read', () => {
    expect(judge(undefined, 50, 1)).toEqual({ kind: 'syncing', indexedBlock: 0, headBlock: 50 });
    expect(judge(undefined, undefined, undefined)).toEqual({ kind: 'syncing', indexedBlock: 0, headBlock: 0 });
    expect(judge(7, undefined, undefined)).toEqual({ kind: 'syncing', indexedBlock: 7, headBlock: 7 });
  });

  it('returns syncing while the head or its time is missing', () => {
    expect(judge(7, undefined, 1)).toEqual({ kind: 'syncing', indexedBlock: 7, headBlock: 7 });
    expect(judge(7, 50, undefined)).toEqual({ kind: 'syncing', indexedBlock: 7, headBlock: 7 });
  });

  it('reports no negative lag and no negative age', () => {
    expect(judge(105, 100, -3)).toEqual({
      kind: 'fresh',
      indexedBlock: 105,
      headBlock: 100,
      lagBlocks: 0,
      headObservedAgeSeconds: 0,
    });
  });

  it('ignores an observation of the head more than a minute in the future', () => {
    expect(judge(100, 101, -60).kind).toBe('fresh');
    expect(judge(100, 101, -60.001)).toEqual({ kind: 'syncing', indexedBlock: 100, headBlock: 101 });
    expect(judge(undefined, 101, -3_600)).toEqual({ kind: 'syncing', indexedBlock: 0, headBlock: 101 });
  });
});

describe('observation age', () => {
  it.each<[name: string, observedAt: number | undefined, age: number | undefined]>([
    ['that was never made', undefined, undefined],
    ['made now', NOW, 0],
    ['made just under two seconds ago', NOW - 1_999, 1],
    ['made two seconds ago', NOW - 2_000, 2],
    ['by a clock one minute ahead', NOW + 60_000, 0],
    ['by a clock more than a minute ahead', NOW + 60_001, undefined],
  ])('returns the age, or undefined, of an observation %s', (_name, observedAt, age) => {
    expect(judgeObservationAge(observedAt, NOW)).toBe(age);
  });

  it.each<[age: number | undefined, isFresh: boolean]>([
    [0, true],
    [600, true],
    [601, false],
    [undefined, false],
  ])('judges %s seconds at a poll interval of 60 s as fresh: %s', (age, isFresh) => {
    expect(isObservationFresh(age, 60)).toBe(isFresh);
  });
});
