/** Counters of requests to alt-chain nodes, for metrics. All values only grow. */
import { CallCounter } from '../../../domain/metrics/call-counter.ts';
import { LatencyHistogram } from '../../../domain/metrics/latency-histogram.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';

export interface AltUpstreamCounters {
  /** HTTP requests sent, one call each. */
  httpRequests: number;
  /** Duration of each request. */
  readonly durations: LatencyHistogram;
  readonly calls: CallCounter;
  /** Waits before a retry. */
  waits: number;
  /** Requests without a usable response, by cause. */
  failures: Partial<Record<UnreadableCause, number>>;
  /** Machine reads, and those served from a cached absence. */
  machineReads: number;
  absenceHits: number;
}

export function createAltUpstreamCounters(): AltUpstreamCounters {
  return {
    httpRequests: 0,
    durations: new LatencyHistogram(),
    calls: new CallCounter(),
    waits: 0,
    failures: {},
    machineReads: 0,
    absenceHits: 0,
  };
}
