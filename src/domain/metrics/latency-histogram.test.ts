import { expect, test } from 'vitest';
import { LATENCY_BUCKETS_SECONDS, LatencyHistogram } from './latency-histogram.ts';

test('counts a duration under the first bound that it does not exceed', () => {
  const histogram = new LatencyHistogram();
  for (const seconds of [0, 0.000_1, 0.000_11, 9.5, 10, 10.1]) histogram.add(seconds);
  const expected = LATENCY_BUCKETS_SECONDS.map(() => 0);
  expected[0] = 2;
  expected[1] = 1;
  expected[LATENCY_BUCKETS_SECONDS.length - 1] = 2;
  expect([...histogram.counts]).toEqual([...expected, 1]);
  expect(histogram.sumSeconds).toBeCloseTo(29.600_21, 10);
});

test('lists the bounds in ascending order', () => {
  expect([...LATENCY_BUCKETS_SECONDS].sort((a, b) => a - b)).toEqual(LATENCY_BUCKETS_SECONDS);
});
