/** Maps readiness and freshness to their responses (http-facts 12, decisions 4). */
import type {
  AltIndexReport,
  Freshness,
  IndexReports,
  OperatorIndexReport,
  PaymentSearch,
  Readiness,
} from '../../actions/health.ts';
import type { CallBudgetState, PaymentSourceState } from '../../ports/runtime.ts';
import type {
  AltIndexLag,
  AltIndexProgress,
  CallBudgetEntry,
  IndexProofEntry,
  OperatorIndexLag,
  PaymentSearchEntry,
  PaymentSourceEntry,
  ReadinessResponse,
  StatusResponse,
} from './response-types.ts';

/** `GET /ready`. */
export function toReadinessReport({
  isReady,
  mainChain,
  verify,
  clock,
  operatorIndex,
  altIndex,
  isRateLimitDistributed,
}: Readiness): ReadinessResponse {
  return {
    status: isReady ? 'ready' : 'not_ready',
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
    ...(clock !== undefined && { clock }),
    ...(isRateLimitDistributed !== undefined && { shared_rate_limits: isRateLimitDistributed }),
  };
}

/** `GET /status`. */
export function toStatusReport(freshness: Freshness, maxLagBlocks: number): StatusResponse {
  return {
    status: freshness.isFresh ? 'fresh' : 'not_fresh',
    max_lag_blocks: maxLagBlocks,
    ...toIndexReports(freshness),
    solana_index_progress: toProgressEntry(freshness.altIndex?.progress),
    causes: freshness.causes.map(({ kind, subject, text, remedy }) => ({ cause: kind, subject, text, remedy })),
    ...(freshness.callBudgets !== undefined && { call_budgets: freshness.callBudgets.map(toBudgetEntry) }),
    ...(freshness.paymentSources !== undefined && { payment_sources: freshness.paymentSources.map(toSourceEntry) }),
    ...(freshness.paymentSearches !== undefined && { payment_searches: freshness.paymentSearches.map(toSearchEntry) }),
  };
}

function toSourceEntry({
  name,
  isUp,
  headAgeSeconds,
  waitingMachines,
  lastFailure,
}: PaymentSourceState): PaymentSourceEntry {
  return {
    source: name,
    up: isUp ?? null,
    head_age_seconds: headAgeSeconds ?? null,
    waiting_machines: waitingMachines,
    last_failure: lastFailure ?? null,
  };
}

function toSearchEntry({ home, throughTime, ageSeconds }: PaymentSearch): PaymentSearchEntry {
  return { chain: toChainName(home), searched_through: throughTime ?? null, age_seconds: ageSeconds ?? null };
}

function toChainName(home: 'main' | 'alt'): 'main' | 'solana' {
  return home === 'main' ? 'main' : 'solana';
}

function toBudgetEntry({ chain, callsPerSecond, waiting, refused, isDayExhausted }: CallBudgetState): CallBudgetEntry {
  return {
    chain: toChainName(chain),
    calls_per_second: callsPerSecond === undefined ? null : Math.floor(callsPerSecond),
    waiting_requests: waiting,
    refused_reads: refused,
    day_exhausted: isDayExhausted,
  };
}

function toProgressEntry(progress: AltIndexReport['progress']): AltIndexProgress | null {
  if (progress === undefined) return null;
  const { phase, appliedSlot, targetSlot, listedDownToSlot } = progress;
  return {
    phase,
    applied_slot: appliedSlot ?? null,
    target_slot: targetSlot,
    listed_down_to_slot: listedDownToSlot ?? null,
  };
}

export function toIndexReports({ operatorIndex, altIndex }: IndexReports) {
  return {
    operator_index: operatorIndex === undefined ? null : toIndexEntry(operatorIndex),
    solana_indexer: altIndex === undefined ? null : toAltIndexEntry(altIndex),
  };
}

function toIndexEntry(index: OperatorIndexReport): OperatorIndexLag {
  return {
    ready: index.isReady,
    indexed_block: index.indexedBlock ?? null,
    head_block: index.headBlock ?? null,
    lag_blocks: index.lagBlocks ?? null,
    head_observed_age_seconds: index.headObservedAgeSeconds ?? null,
    ...(index.proof !== undefined && { proof: toProof(index.proof) }),
  };
}

function toProof({
  mode,
  isBackfilled,
  unprovenBlocks,
  segmentCount,
  segments,
}: NonNullable<OperatorIndexReport['proof']>): IndexProofEntry {
  return {
    mode,
    backfilled: isBackfilled,
    unproven_blocks: unprovenBlocks,
    segment_count: segmentCount,
    segments: segments.map(({ fromBlock, toBlock, kind }) => ({ from_block: fromBlock, to_block: toBlock, kind })),
  };
}

function toAltIndexEntry({ isReady, slot, ageSeconds }: AltIndexReport): AltIndexLag {
  return { ready: isReady, slot: slot ?? null, age_seconds: ageSeconds ?? null };
}
