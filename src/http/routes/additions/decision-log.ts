/** `GET /machine/{key}/monetization/history`: the decisions that were in force, with what proves them (design/provable 2). */
import { getDecisionLog } from '../../../actions/decision-log.ts';
import type { Namespace } from '../../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { machineKey } from '../../schemas/monetization.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { encodeJson } from '../../server/json-encoding.ts';
import { sendCacheableJson } from '../../server/response.ts';
import type { Routes } from '../../server/route-table.ts';
import { toDecisionLog } from '../../wire/decision-log.ts';
import { describeIntegers, requireIntegers, requireMachineKey, type DescribedIntegerRule } from '../parameters.ts';

const PAGE_RULES: readonly DescribedIntegerRule[] = [
  {
    name: 'cursor',
    description: 'The cursor of the previous page; default: the newest decisions.',
    fallback: Number.MAX_SAFE_INTEGER,
    hidesFallback: true,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  {
    name: 'limit',
    description: 'The largest number of decisions on the page.',
    fallback: 20,
    minimum: 1,
    maximum: 100,
  },
];

export function decisionLogRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const description = describeRoute(namespace);
  routes.get('/machine/:key/monetization/history', { profile: 'monetization', description }, async (request) => {
    const id = requireMachineKey(request.parameter('key'), namespace);
    const [cursor, limit] = requireIntegers(request.query, PAGE_RULES).map(Number) as [number, number];
    const log = await getDecisionLog(ctx, id, { cursor, limit });
    sendCacheableJson(request, encodeJson(toDecisionLog(log)), log.block);
  });
}

function describeRoute(namespace: Namespace): RouteDescription {
  return {
    operationId: 'listDecisions',
    summary: 'List the opt-in decisions of a machine, newest first, each with what proves it.',
    parameters: { key: machineKey(namespace) },
    query: describeIntegers(PAGE_RULES),
    responses: { 200: 'DecisionLog' },
    faults: [
      'MachineDidMalformed',
      'ParametersInvalid',
      'MachineAbsent',
      'MachineRelocating',
      'MachineHomedElsewhere',
      'ServiceNotInitialised',
      'StoreUnavailable',
    ],
    caching: 'revalidated',
    block: 'sometimes',
  };
}
