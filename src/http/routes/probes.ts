/** `GET /health` and `GET /ready` of the interface (http-facts 12). Counted like every other path, never cached. */
import type { FastifyInstance } from 'fastify';
import { getReadiness, type OperatorIndexReport, type Readiness } from '../../actions/probes.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendFresh } from '../answer.ts';
import { encodeJson } from '../json-encoding.ts';

const HEALTHY = encodeJson({ status: 'ok' }).body;

export function probesRoutes(app: FastifyInstance, ctx: Ctx): void {
  const config = { surface: 'probe' } as const;

  app.get('/health', { config }, (request, reply) => {
    sendFresh(request, reply, 200, HEALTHY);
  });

  app.get('/ready', { config }, async (request, reply) => {
    const readiness = await getReadiness(ctx);
    sendFresh(request, reply, readiness.isReady ? 200 : 503, encodeJson(toReadinessReport(readiness)).body);
  });
}

function toReadinessReport({ isReady, mainChain, verify, operatorIndex }: Readiness) {
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
    solana_indexer: null,
    operator_index: operatorIndex === undefined ? null : toIndexEntry(operatorIndex),
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
