import { describe, expect, it } from 'vitest';

import { TODAY } from '../../../testing/fixtures/rating-events.ts';
import { judgeDormancy } from './dormancy.ts';

describe('judgeDormancy', () => {
  it.each([
    [0, 10_000],
    [30, 10_000],
    [31, 9_833],
    [45, 7_500],
    [60, 5_000],
    [75, 3_750],
    [90, 2_500],
    [119, 1_291],
    [120, 1_250],
    [400, 2],
    [100_000, 0],
  ])('leaves after %i idle days %i of 10000 h', (idleDays, remaining) => {
    expect(judgeDormancy(10_000, TODAY - idleDays, TODAY)).toStrictEqual({
      idleDays,
      lostHundredths: 10_000 - remaining,
    });
  });

  it('deducts nothing without any qualifying event', () => {
    expect(judgeDormancy(400, undefined, TODAY)).toStrictEqual({ idleDays: null, lostHundredths: 0 });
  });
});
