/** Ladders: points of a measure, interpolated between steps. */

type Ladder = readonly (readonly [x: bigint, y: bigint])[];

export const REVENUE_LADDER: Ladder = [
  [0n, 0n],
  [1000n, 400n],
  [5000n, 1000n],
  [10000n, 1400n],
  [25000n, 1900n],
  [50000n, 2300n],
  [100000n, 2700n],
  [250000n, 3000n],
];
export const ACTIVITY_LADDER: Ladder = [
  [0n, 0n],
  [7n, 300n],
  [35n, 600n],
  [168n, 1000n],
];
export const TREND_LADDER: Ladder = [
  [0n, 0n],
  [40n, 600n],
  [80n, 1500n],
];
export const TENURE_LADDER: Ladder = [
  [0n, 0n],
  [4n, 200n],
  [13n, 500n],
  [52n, 1000n],
];

/** Interpolates linearly between steps, constant after the last; `x` is never below the first step. */
export function ladder(steps: Ladder, x: bigint): bigint {
  for (const [index, [x0, y0]] of steps.entries()) {
    const next = steps[index + 1];
    if (next === undefined) return y0;
    const [x1, y1] = next;
    if (x0 <= x && x < x1) return y0 + ((x - x0) * (y1 - y0)) / (x1 - x0);
  }
  return 0n;
}
