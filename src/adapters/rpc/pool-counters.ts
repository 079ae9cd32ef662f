/** Counters of the requests to a chain's nodes, for metrics. All values only grow. */
import type { UnreadableCause } from '../../domain/faults.ts';
import { CallCounter } from '../../domain/metrics/call-counter.ts';
import { LatencyHistogram } from '../../domain/metrics/latency-histogram.ts';

export interface PoolCounters {
  /** HTTP requests sent; each carries one or more calls. */
  httpRequests: number;
  /** Durations of these requests. */
  readonly durations: LatencyHistogram;
  readonly calls: CallCounter;
  /** Requests without a usable response, by cause. */
  failures: Partial<Record<UnreadableCause, number>>;
}

export function createPoolCounters(): PoolCounters {
  return { httpRequests: 0, durations: new LatencyHistogram(), calls: new CallCounter(), failures: {} };
}
