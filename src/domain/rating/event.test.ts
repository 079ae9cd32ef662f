import { describe, expect, it } from 'vitest';

import { revenueOn, TODAY } from '../../../testing/fixtures/rating-events.ts';
import type { RatingEvent } from './event.ts';
import { eventDay, isMalformed, judgeEvent } from './event.ts';

const BLOCK = 1_772_452_800;

function eventWith(parts: Partial<RatingEvent>): RatingEvent {
  return { ...revenueOn(TODAY, 5_000), seq: 0, blockTimestamp: BLOCK, timestamp: BigInt(BLOCK), ...parts };
}

describe('judgeEvent', () => {
  it.each([
    ['sound', BigInt(BLOCK)],
    ['sound', BigInt(BLOCK - 604_800)],
    ['late', BigInt(BLOCK - 604_801)],
    ['late', 0n],
    ['sound', BigInt(BLOCK + 900)],
    ['early', BigInt(BLOCK + 901)],
    ['early', 2n ** 256n - 1n],
  ])('returns %s for timestamp %i', (judgement, timestamp) => {
    expect(judgeEvent(eventWith({ timestamp }))).toBe(judgement);
  });

  it('accepts timestamp 0 in the first week after the epoch', () => {
    expect(judgeEvent(eventWith({ blockTimestamp: 604_799, timestamp: 0n }))).toBe('sound');
  });
});

describe('isMalformed', () => {
  it.each([
    { type: 0, currency: 'USD', trust: 0 },
    { type: 0, currency: 'ABCDEFGHI9', trust: 2 },
    { type: 1, currency: '', trust: 1 },
  ])('returns false for %o', (parts) => {
    expect(isMalformed(parts)).toBe(false);
    expect(judgeEvent(eventWith(parts))).toBe('sound');
  });

  it.each([
    { type: 2, currency: '', trust: 0 },
    { type: 2, currency: 'USD', trust: 0 },
    { type: -1, currency: '', trust: 0 },
    { type: 0, currency: '', trust: 0 },
    { type: 0, currency: 'usd', trust: 0 },
    { type: 0, currency: 'USD', trust: 3 },
    { type: 0, currency: 'USD', trust: -1 },
    { type: 0, currency: 'USD', trust: 0.5 },
    { type: 1, currency: 'USD', trust: 0 },
    { type: 1, currency: ' ', trust: 0 },
    { type: 1, currency: '', trust: 3 },
  ])('returns true for %o', (parts) => {
    expect(isMalformed(parts)).toBe(true);
    expect(judgeEvent(eventWith(parts))).toBe('malformed');
  });
});

describe('eventDay', () => {
  const midnight = TODAY * 86_400;

  it.each([
    ['of its timestamp', midnight - 1, midnight + 10, TODAY - 1],
    ['of its block, when the timestamp is later', midnight + 10, midnight - 1, TODAY - 1],
    ['of both, when they are equal', midnight, midnight, TODAY],
  ])('returns the day %s', (_, timestamp, blockTimestamp, day) => {
    expect(eventDay({ timestamp: BigInt(timestamp), blockTimestamp })).toBe(day);
  });

  it('never returns a day after the block', () => {
    expect(eventDay({ timestamp: 2n ** 256n - 1n, blockTimestamp: midnight })).toBe(TODAY);
  });
});
