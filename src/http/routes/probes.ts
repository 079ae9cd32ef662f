/** `GET /health` and `GET /ready` of the interface (http-facts 12). Counted like every other path, never cached. */
import { getReadiness, type AltIndexReport, type OperatorIndexReport, type Readiness } from '../../actions/probes.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendFresh } from '../answer.ts';
import { encodeJson } from '../json-encoding.ts';
import type { RouteDescription } from '../openapi.ts';
import type { Routes } from '../route-table.ts';

const HEALTHY = encodeJson({ status: 'ok' });

const HEALTH: RouteDescription = {
  operationId: 'getHealth',
  summary: 'Says that the process runs; checks nothing.',
  answers: { 200: 'Health' },
  faults: [],
  caching: 'never',
  block: 'never',
};

const READY: RouteDescription = {
  operationId: 'getReadiness',
  summary: 'Says whether the contracts can be called and, when the server runs Verify, whether Verify is ready.',
  answers: { 200: 'Readiness', 503: 'Readiness' },
  faults: [],
  caching: 'never',
  block: 'never',
};

export function probesRoutes(routes: Routes, ctx: Ctx): void {
  routes.get('/health', { surface: 'probe', description: HEALTH }, (exchange) => sendFresh(exchange, 200, HEALTHY));

  routes.get('/ready', { surface: 'probe', description: READY }, async (exchange) => {
    const readiness = await getReadiness(ctx);
    sendFresh(exchange, readiness.isReady ? 200 : 503, encodeJson(toReadinessReport(readiness)));
  });
}

function toReadinessReport({ isReady, mainChain, verify, operatorIndex, altIndex, countsTogether }: Readiness) {
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
    ...(countsTogether === undefined ? {} : { shared_rate_limits: countsTogether }),
  };
}

export function toIndexEntry(index: OperatorIndexReport) {
  return {
    ready: index.isReady,
    indexed_block: index.indexedBlock ?? null,
    head_block: index.headBlock ?? null,
    lag_blocks: index.lagBlocks ?? null,
    head_observed_age_seconds: index.headObservedAgeSeconds ?? null,
  };
}

export function toAltIndexEntry({ isReady, slot, ageSeconds }: AltIndexReport) {
  return { ready: isReady, slot: slot ?? null, age_seconds: ageSeconds ?? null };
}
