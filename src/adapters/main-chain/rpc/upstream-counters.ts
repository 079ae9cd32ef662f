/**
 * Counters of the requests to the main chain's nodes, for metrics. All only grow, except the two gauges of cached
 * snapshots.
 */
import { CallCounter } from '../../../domain/metrics/call-counter.ts';
import { LatencyHistogram } from '../../../domain/metrics/latency-histogram.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';

export interface MainUpstreamCounters {
  /** HTTP requests sent; each carries one or more calls. */
  httpRequests: number;
  /** Durations of these requests. */
  readonly durations: LatencyHistogram;
  readonly calls: CallCounter;
  rpcCalls: number;
  /** Requests repeated after a transient error. */
  retries: number;
  /** Contract calls, including those inside aggregated calls. */
  contractCalls: number;
  /** Requests without a usable response, by cause. */
  failures: Partial<Record<UnreadableCause, number>>;
  /** Responses of nodes that differed from those of the others where several must agree. */
  disagreements: number;
  machineReads: number;
  snapshotHits: number;
  snapshotCount: number;
  snapshotBytes: number;
}

export function createMainUpstreamCounters(): MainUpstreamCounters {
  return {
    httpRequests: 0,
    durations: new LatencyHistogram(),
    calls: new CallCounter(),
    rpcCalls: 0,
    retries: 0,
    contractCalls: 0,
    failures: {},
    disagreements: 0,
    machineReads: 0,
    snapshotHits: 0,
    snapshotCount: 0,
    snapshotBytes: 0,
  };
}
