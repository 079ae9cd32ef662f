/**
 * Counters of the requests to the main chain's nodes, for metrics. All only grow, except the two gauges of cached
 * snapshots.
 */
import { createPoolCounters, type PoolCounters } from '../../rpc/pool-counters.ts';

export interface MainUpstreamCounters extends PoolCounters {
  rpcCalls: number;
  /** Requests repeated after a transient error. */
  retries: number;
  /** Contract calls, including those inside aggregated calls. */
  contractCalls: number;
  /** Responses of nodes that differed from those of the others where several must agree. */
  disagreements: number;
  machineReads: number;
  snapshotHits: number;
  snapshotCount: number;
  snapshotBytes: number;
}

export function createMainUpstreamCounters(): MainUpstreamCounters {
  return {
    ...createPoolCounters(),
    rpcCalls: 0,
    retries: 0,
    contractCalls: 0,
    disagreements: 0,
    machineReads: 0,
    snapshotHits: 0,
    snapshotCount: 0,
    snapshotBytes: 0,
  };
}
