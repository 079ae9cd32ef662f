/** What has been asked of the alt chain's nodes so far? Counted for metrics; numbers only grow. */
import { CallCounter } from '../../../domain/metrics/call-counter.ts';
import { LatencyHistogram } from '../../../domain/metrics/latency-histogram.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';

export interface AltUpstreamCounters {
  /** HTTP requests sent, each with one call. */
  httpRequests: number;
  /** How long each took. */
  readonly durations: LatencyHistogram;
  readonly calls: CallCounter;
  /** Waits after which a question was asked again. */
  waits: number;
  /** Requests that gave no usable answer, by cause. */
  failures: Partial<Record<UnreadableCause, number>>;
  /** Machines asked for, and those served from a kept absence. */
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
