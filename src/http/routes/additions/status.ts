/**
 * Status for monitors, `GET /status` with `max_lag_blocks` (decisions 4): whether the indexes are within the lag that the caller accepts. The
 * status code is sufficient, for monitors that read no body.
 */
import { getFreshness } from '../../../actions/health.ts';
import { MAX_LAG_BLOCKS } from '../../../domain/index-rules/index-freshness.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { sendUncached } from '../../server/response.ts';
import { encodeJson } from '../../server/json-encoding.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { describeIntegers, requireIntegers } from '../parameters.ts';
import type { Routes } from '../../server/route-table.ts';
import { toStatusReport } from '../../wire/health.ts';

const RULES = [
  {
    name: 'max_lag_blocks',
    description: 'The largest accepted lag of the main-chain index, in blocks.',
    fallback: MAX_LAG_BLOCKS,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  },
] as const;

const STATUS: RouteDescription = {
  operationId: 'getStatus',
  summary: 'Get whether the indexes are up to date: 200, else 503.',
  query: describeIntegers(RULES),
  responses: { 200: 'Status', 503: 'Status' },
  faults: ['ParametersInvalid'],
  caching: 'never',
  block: 'never',
};

export function statusRoutes(routes: Routes, ctx: Ctx): void {
  routes.get('/status', { profile: 'health', description: STATUS }, async (request) => {
    const maxLagBlocks = Number(requireIntegers(request.query, RULES)[0]);
    const freshness = await getFreshness(ctx, maxLagBlocks);
    sendUncached(request, freshness.isFresh ? 200 : 503, encodeJson(toStatusReport(freshness, maxLagBlocks)));
  });
}
