/** Health checks: `GET /health` and `GET /ready` of the interface (http-facts 12). Rate limited as every path, never cached. */
import { getReadiness } from '../../actions/health.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendUncached } from '../server/response.ts';
import { encodeJson } from '../server/json-encoding.ts';
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

export function healthRoutes(routes: Routes, ctx: Ctx): void {
  routes.get('/health', { profile: 'health', description: HEALTH }, (request) => sendUncached(request, 200, HEALTHY));

  routes.get('/ready', { profile: 'health', description: READY }, async (request) => {
    const readiness = await getReadiness(ctx);
    sendUncached(request, readiness.isReady ? 200 : 503, encodeJson(toReadinessReport(readiness)));
  });
}
