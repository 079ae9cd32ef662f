/** Integer division and ladder interpolation of the model (design/scoring.md, Arithmetic and Ladder). */

import type { Steps } from './constants.ts';

/**
 * Divides safe integers `a ≥ 0` by `b > 0`, rounding down. The result is exact: a non-integer quotient is at least 1/b below the next
 * integer, a relative distance above 1/a and so above the rounding error of a double.
 */
export function divide(a: number, b: number): number {
  return Math.floor(a / b);
}

/** Evaluates a ladder at `x ≥ 0`: linear between its steps, flat after the last. */
export function ladder(steps: Steps, x: number): number {
  let [x0, y0] = steps[0]!;
  for (const [x1, y1] of steps) {
    if (x < x1) return y0 + divide((x - x0) * (y1 - y0), x1 - x0);
    [x0, y0] = [x1, y1];
  }
  return y0;
}
