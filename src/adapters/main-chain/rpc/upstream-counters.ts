/** What has been asked of the main chain's nodes so far? Counted for metrics; numbers only grow, except the two of kept snapshots. */
import { CallCounter } from '../../../domain/metrics/call-counter.ts';
import { LatencyHistogram } from '../../../domain/metrics/latency-histogram.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';

export interface MainUpstreamCounters {
  /** HTTP requests sent, each with one or more calls. */
  httpRequests: number;
  /** How long each took. */
  readonly durations: LatencyHistogram;
  readonly calls: CallCounter;
  rpcCalls: number;
  /** Requests sent once more because an error might pass. */
  retries: number;
  /** Contract calls inside aggregated calls. */
  contractCalls: number;
  /** Requests that gave no usable answer, by cause. */
  failures: Partial<Record<UnreadableCause, number>>;
  /** Logs whose topic stands in no row of the table. */
  unknownLogs: number;
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
    unknownLogs: 0,
    machineReads: 0,
    snapshotHits: 0,
    snapshotCount: 0,
    snapshotBytes: 0,
  };
}
