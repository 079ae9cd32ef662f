import { describe, expect, it } from 'vitest';

import { divide, ladder } from './arithmetic.ts';
import { REVENUE, SAFE, TENURE, TREND } from './constants.ts';

describe('divide', () => {
  it('rounds down', () => {
    expect([0, 2, 3, 5].map((a) => divide(a, 3))).toStrictEqual([0, 0, 1, 1]);
  });

  it('is exact just below a multiple of any size', () => {
    for (const b of [3, 7, 10_007, 2 ** 31 - 1, 94_906_265]) {
      const multiple = Math.floor(SAFE / b) * b;
      expect(divide(multiple - 1, b)).toBe(Number(BigInt(multiple - 1) / BigInt(b)));
      expect(divide(multiple, b)).toBe(multiple / b);
    }
  });
});

describe('ladder', () => {
  it.each([
    ['revenue', REVENUE.centsSteps],
    ['activity', REVENUE.activitySteps],
    ['trend', TREND.steps],
    ['tenure', TENURE.steps],
  ])('passes through every step of %s, and is flat after the last', (_, steps) => {
    for (const [x, y] of steps) expect(ladder(steps, x)).toBe(y);
    const [lastX, lastY] = steps.at(-1)!;
    expect(ladder(steps, lastX + 1)).toBe(lastY);
    expect(ladder(steps, SAFE)).toBe(lastY);
  });

  it('is linear between steps, rounded down', () => {
    expect(ladder(REVENUE.centsSteps, 500)).toBe(200);
    expect(ladder(REVENUE.centsSteps, 249_999)).toBe(2_999);
    expect(ladder(TREND.steps, 79)).toBe(1_477);
  });
});
