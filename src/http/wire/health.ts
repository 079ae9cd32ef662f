/** How do reports about the service itself look on the wire? (http-facts 12; decisions 4.) */
import type { AltIndexReport, Freshness, IndexReports, OperatorIndexReport, Readiness } from '../../actions/health.ts';

/** `GET /ready`. */
export function toReadinessReport({ isReady, mainChain, verify, operatorIndex, altIndex, countsTogether }: Readiness) {
  return {
    status: isReady ? ('ready' as const) : ('not_ready' as const),
    rpc_connected: mainChain.rpcConnected,
    contracts: {
      machine_registry: mainChain.machineRegistry,
      machine_state_and_sync: mainChain.machineStateAndSync,
      machine_subscription: mainChain.machineSubscription,
      event_registry: mainChain.eventRegistry,
      admin_flags: mainChain.adminFlags,
    },
    verify: verify ?? null,
    solana_indexer: altIndex === undefined ? null : toAltIndexEntry(altIndex),
    operator_index: operatorIndex === undefined ? null : toIndexEntry(operatorIndex),
    ...(countsTogether !== undefined && { shared_rate_limits: countsTogether }),
  };
}

/** `GET /status`. */
export function toStatusReport(freshness: Freshness, maxLagBlocks: number) {
  return {
    status: freshness.isFresh ? ('fresh' as const) : ('not_fresh' as const),
    max_lag_blocks: maxLagBlocks,
    ...toIndexReports(freshness),
  };
}

export function toIndexReports({ operatorIndex, altIndex }: IndexReports) {
  return {
    operator_index: operatorIndex === undefined ? null : toIndexEntry(operatorIndex),
    solana_indexer: altIndex === undefined ? null : toAltIndexEntry(altIndex),
  };
}

function toIndexEntry(index: OperatorIndexReport) {
  return {
    ready: index.isReady,
    indexed_block: index.indexedBlock ?? null,
    head_block: index.headBlock ?? null,
    lag_blocks: index.lagBlocks ?? null,
    head_observed_age_seconds: index.headObservedAgeSeconds ?? null,
  };
}

function toAltIndexEntry({ isReady, slot, ageSeconds }: AltIndexReport) {
  return { ready: isReady, slot: slot ?? null, age_seconds: ageSeconds ?? null };
}
