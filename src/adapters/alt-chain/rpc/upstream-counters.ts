/** Counters of requests to alt-chain nodes, for metrics. All values only grow. */
import { createPoolCounters, type PoolCounters } from '../../rpc/pool-counters.ts';

export interface AltUpstreamCounters extends PoolCounters {
  machineReads: number;
}

export function createAltUpstreamCounters(): AltUpstreamCounters {
  return { ...createPoolCounters(), machineReads: 0 };
}
