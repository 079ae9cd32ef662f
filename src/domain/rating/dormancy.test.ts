import { describe, expect, it } from 'vitest';

import { TODAY } from '../../../testing/fixtures/rating-events.ts';
import { judgeDormancy } from './dormancy.ts';

/** Rhythm of a machine that was last used `idleDays` ago, on `rhythmDays` of the last 90 days of a year. */
function rhythmOf(idleDays: number, rhythmDays: number) {
  const lastQualifyingDay = TODAY - idleDays;
  return { firstQualifyingDay: lastQualifyingDay - 365, lastQualifyingDay, rhythmDays };
}

describe('judgeDormancy', () => {
  it.each([
    [0, 10_000],
    [14, 10_000],
    [15, 9_642],
    [28, 5_000],
    [29, 4_821],
    [42, 2_500],
    [400, 0],
    [100_000, 0],
  ])('leaves after %i idle days of a daily machine %i of 10000 h', (idleDays, remaining) => {
    expect(judgeDormancy(10_000, rhythmOf(idleDays, 90), TODAY)).toStrictEqual({
      idleDays,
      freeDays: 14,
      halfDays: 14,
      lostHundredths: 10_000 - remaining,
    });
  });

  it.each([
    [90, 14, 14],
    [25, 14, 14],
    [22, 16, 14],
    [13, 27, 20],
    [9, 40, 30],
    [8, 45, 30],
    [1, 45, 30],
  ])('gives a machine with %i days in 90 %i free days and %i to halve', (rhythmDays, freeDays, halfDays) => {
    expect(judgeDormancy(10_000, rhythmOf(0, rhythmDays), TODAY)).toMatchObject({ freeDays, halfDays });
  });

  it('measures a young machine from its first day', () => {
    const rhythm = { firstQualifyingDay: TODAY - 9, lastQualifyingDay: TODAY, rhythmDays: 2 };
    expect(judgeDormancy(10_000, rhythm, TODAY)).toMatchObject({ freeDays: 20, halfDays: 15 });
  });

  it('deducts nothing without any qualifying event', () => {
    const rhythm = { firstQualifyingDay: undefined, lastQualifyingDay: undefined, rhythmDays: 0 };
    expect(judgeDormancy(400, rhythm, TODAY)).toStrictEqual({
      idleDays: null,
      freeDays: null,
      halfDays: null,
      lostHundredths: 0,
    });
  });
});
