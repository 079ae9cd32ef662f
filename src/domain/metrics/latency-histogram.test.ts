import { expect, test } from 'vitest';
import { DURATION_BOUNDS_SECONDS, LatencyHistogram } from './latency-histogram.ts';

test('a duration falls under the first bound that it does not exceed', () => {
  const tally = new LatencyHistogram();
  for (const seconds of [0, 0.000_1, 0.000_11, 9.5, 10, 10.1]) tally.add(seconds);
  const expected = DURATION_BOUNDS_SECONDS.map(() => 0);
  expected[0] = 2;
  expected[1] = 1;
  expected[DURATION_BOUNDS_SECONDS.length - 1] = 2;
  expect([...tally.counts]).toEqual([...expected, 1]);
  expect(tally.sumSeconds).toBeCloseTo(29.600_21, 10);
});

test('bounds rise', () => {
  expect([...DURATION_BOUNDS_SECONDS].sort((a, b) => a - b)).toEqual(DURATION_BOUNDS_SECONDS);
});
