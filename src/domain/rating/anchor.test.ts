import { describe, expect, it } from 'vitest';

import { judgeAnchor } from './anchor.ts';

describe('judgeAnchor', () => {
  it.each([
    [10_000, false, false, 4_167],
    [8_896, false, false, 3_247],
    [5_005, false, false, 5],
    [5_006, false, false, 5],
    [5_000, false, false, 0],
    [400, false, false, 0],
    [10_000, true, false, 0],
    [10_000, true, true, 4_167],
    [10_000, false, true, 4_167],
  ])('deducts of %i h, with a verified operator %s and a flag %s: %i', (awake, operatorVerified, isFlagged, lost) => {
    expect(judgeAnchor(awake, operatorVerified, isFlagged)).toStrictEqual({ operatorVerified, lostHundredths: lost });
  });
});
