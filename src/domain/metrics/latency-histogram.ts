/** Latency histogram with fixed buckets: recording a duration allocates no memory. */

/** Upper bounds in seconds, from an in-memory read to the longest response deadline. */
export const LATENCY_BUCKETS_SECONDS = [
  ...[0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
] as const;

const BOUNDS: readonly number[] = LATENCY_BUCKETS_SECONDS;

export class LatencyHistogram {
  /** Not cumulative: `counts[i]` covers durations above bound `i - 1` and up to bound `i`; the last entry covers the rest. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sumSeconds = 0;

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sumSeconds += seconds;
  }
}
