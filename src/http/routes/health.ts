/**
 * Health checks: `GET /health` and `GET /ready` of the interface (http-facts 12), never cached. Rate limited as every path
 * on the public port; the admin port serves them without limits.
 */
import { getReadiness } from '../../actions/health.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendUncached } from '../server/response.ts';
import { encodeJson, type EncodedJson } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import type { Routes } from '../server/route-table.ts';
import { toReadinessReport } from '../wire/health.ts';

const HEALTHY = encodeJson({ status: 'ok' });

const HEALTH: RouteDescription = {
  operationId: 'getHealth',
  summary: 'Get liveness: the process runs. Checks nothing else.',
  responses: { 200: 'Health' },
  faults: [],
  caching: 'never',
  block: 'never',
};

const READY: RouteDescription = {
  operationId: 'getReadiness',
  summary: 'Get readiness: whether the contracts can be called and, with Verify enabled, whether Verify is ready.',
  responses: { 200: 'Readiness', 503: 'Readiness' },
  faults: [],
  caching: 'never',
  block: 'never',
};

export interface HealthCheck {
  readonly status: number;
  readonly body: EncodedJson;
}

/** Returns the health checks of the admin port by path. A process that callers cannot reach is alive, and not ready. */
export function createHealthChecks(
  ctx: Ctx,
  isListening: () => boolean,
): Readonly<Record<string, () => Promise<HealthCheck>>> {
  return {
    '/health': () => Promise.resolve({ status: 200, body: HEALTHY }),
    '/ready': () => checkReady(ctx, isListening),
  };
}

export function healthRoutes(routes: Routes, ctx: Ctx): void {
  routes.get('/health', { profile: 'health', isImmediate: true, description: HEALTH }, (request) =>
    sendUncached(request, 200, HEALTHY),
  );

  routes.get('/ready', { profile: 'health', description: READY }, async (request) => {
    const { status, body } = await checkReady(ctx);
    sendUncached(request, status, body);
  });
}

async function checkReady(ctx: Ctx, isListening = () => true): Promise<HealthCheck> {
  const readiness = await getReadiness(ctx);
  const isReady = readiness.isReady && isListening();
  return { status: isReady ? 200 : 503, body: encodeJson(toReadinessReport({ ...readiness, isReady })) };
}
