import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import { isObservationFresh, judgeIndexFreshness, judgeObservationAge } from './index-freshness.ts';

const NOW = 1_800_000_000_000;

function judge(indexedBlock: number | undefined, headBlock: number | undefined, ageSeconds: number | undefined) {
  const headObservedAtMilliseconds = ageSeconds === undefined ? undefined : NOW - ageSeconds * 1000;
  return judgeIndexFreshness({ indexedBlock, headBlock, headObservedAtMilliseconds }, NOW, 60);
}

describe('freshness of the index', () => {
  it('holds up to 100 blocks behind the head', () => {
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

  it('holds up to ten poll intervals after the head was read', () => {
    rule('limits.index-lag');
    expect(judge(100, 100, 600).kind).toBe('fresh');
    expect(judge(100, 100, 600.001)).toEqual({ kind: 'stale', headObservedAgeSeconds: 600 });
  });

  it('judges age before lag', () => {
    expect(judge(100, 900, 601)).toEqual({ kind: 'stale', headObservedAgeSeconds: 601 });
  });

  it('does not begin before something is indexed and the head was read', () => {
    expect(judge(undefined, 50, 1)).toEqual({ kind: 'syncing', indexedBlock: 0, headBlock: 50 });
    expect(judge(undefined, undefined, undefined)).toEqual({ kind: 'syncing', indexedBlock: 0, headBlock: 0 });
    expect(judge(7, undefined, undefined)).toEqual({ kind: 'syncing', indexedBlock: 7, headBlock: 7 });
  });

  it('does not begin while half of the reading of the head is missing', () => {
    expect(judge(7, undefined, 1)).toEqual({ kind: 'syncing', indexedBlock: 7, headBlock: 7 });
    expect(judge(7, 50, undefined)).toEqual({ kind: 'syncing', indexedBlock: 7, headBlock: 7 });
  });

  it('counts no negative lag and no negative age', () => {
    expect(judge(105, 100, -3)).toEqual({
      kind: 'fresh',
      indexedBlock: 105,
      headBlock: 100,
      lagBlocks: 0,
      headObservedAgeSeconds: 0,
    });
  });

  it('takes an observation that a clock made in the future for none', () => {
    expect(judge(100, 101, -60).kind).toBe('fresh');
    expect(judge(100, 101, -60.001)).toEqual({ kind: 'syncing', indexedBlock: 100, headBlock: 101 });
    expect(judge(undefined, 101, -3_600)).toEqual({ kind: 'syncing', indexedBlock: 0, headBlock: 101 });
  });
});

describe('an observation', () => {
  it.each<[name: string, observedAt: number | undefined, age: number | undefined]>([
    ['never made', undefined, undefined],
    ['of now', NOW, 0],
    ['of not quite two seconds ago', NOW - 1_999, 1],
    ['of two seconds ago', NOW - 2_000, 2],
    ['of a clock that was a minute ahead', NOW + 60_000, 0],
    ['of a clock that was more than a minute ahead', NOW + 60_001, undefined],
  ])('%s has an age, or none', (_name, observedAt, age) => {
    expect(judgeObservationAge(observedAt, NOW)).toBe(age);
  });

  it.each<[age: number | undefined, isFresh: boolean]>([
    [0, true],
    [600, true],
    [601, false],
    [undefined, false],
  ])('of %s seconds is fresh for ten polls a minute apart: %s', (age, isFresh) => {
    expect(isObservationFresh(age, 60)).toBe(isFresh);
  });
});
