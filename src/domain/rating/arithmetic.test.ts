import { describe, expect, it } from 'vitest';

import { divide, ladder } from './arithmetic.ts';
import { REVENUE, SAFE, TENURE, TREND } from './constants.ts';

describe('divide', () => {
  it('rounds down', () => {
    expect([0, 2, 3, 5].map((a) => divide(a, 3))).toStrictEqual([0, 0, 1, 1]);
  });

  it('is exact just below a multiple, up to SAFE', () => {
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
  ])('passes through every step of the %s ladder and stays flat after the last', (_, steps) => {
    for (const [x, y] of steps) expect(ladder(steps, x)).toBe(y);
    const [lastX, lastY] = steps.at(-1)!;
    expect(ladder(steps, lastX + 1)).toBe(lastY);
    expect(ladder(steps, SAFE)).toBe(lastY);
  });

  it.each([
    [
      REVENUE.centsSteps,
      [0, 999, 1_006, 4_999, 9_999, 24_999, 49_999, 99_999, 249_999, 250_000],
      [0, 399, 400, 999, 1_399, 1_899, 2_299, 2_699, 2_999, 3_000],
    ],
    [REVENUE.activitySteps, [0, 6, 7, 34, 35, 167, 168], [0, 257, 300, 589, 600, 996, 1_000]],
    [TREND.steps, [0, 39, 40, 79, 80], [0, 585, 600, 1_477, 1_500]],
    [TENURE.steps, [0, 3, 4, 12, 13, 51, 52], [0, 150, 200, 466, 500, 987, 1_000]],
  ])('interpolates linearly and rounds down (ladder %#)', (steps, xs, ys) => {
    expect(xs.map((x) => ladder(steps, x))).toStrictEqual(ys);
  });
});
