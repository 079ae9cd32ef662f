/** How long did things take? A tally in buckets that never change: one more costs a few comparisons and no memory. */

/** Upper bounds, in seconds: from a read out of memory to the longest deadline of an answer. */
export const DURATION_BOUNDS_SECONDS = [
  ...[0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
] as const;

const BOUNDS: readonly number[] = DURATION_BOUNDS_SECONDS;

export class LatencyHistogram {
  /** Of each bound, what exceeds the bound before it and not this one; at the end, what exceeds all. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sumSeconds = 0;

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sumSeconds += seconds;
  }
}
