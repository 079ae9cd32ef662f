/** `GET /mcr/{did}/explanation` (decisions 4): the rating with the contribution of every factor and the facts it was computed from. */
import { getExplanation } from '../../../actions/machines.ts';
import type { Namespace } from '../../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { encodeJson } from '../../server/json-encoding.ts';
import { sendCacheableJson } from '../../server/response.ts';
import type { Routes } from '../../server/route-table.ts';
import { machineDid } from '../../schemas/json-schema.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { toExplanation } from '../../wire/machines.ts';
import { RATING_FAULTS } from '../machine-faults.ts';
import { requireMachineDid } from '../parameters.ts';

export function explanationRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const description = describeExplanation(namespace);

  routes.get('/mcr/:did/explanation', { profile: 'read', description }, async (request) => {
    const explanation = await getExplanation(ctx, requireMachineDid(request.parameter('did'), namespace));
    sendCacheableJson(request, encodeJson(toExplanation(explanation, namespace)), explanation.rated.snapshot.block);
  });
}

function describeExplanation(namespace: Namespace): RouteDescription {
  return {
    operationId: 'getExplanation',
    summary: 'Explain a rating: points earned and lost by factor, and the facts behind them.',
    parameters: { did: machineDid(namespace) },
    responses: { 200: 'Explanation' },
    faults: ['MachineDidMalformed', ...RATING_FAULTS],
    caching: 'revalidated',
    block: 'always',
  };
}
