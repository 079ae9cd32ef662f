/** `GET /active-machines` (decisions 4): the most recently active machines, an entry point for callers without an id. */
import { listActiveMachines } from '../../../actions/active-machines.ts';
import { MAX_ACTIVE_MACHINES } from '../../../domain/machine/active-machine.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { sendCacheableJson } from '../../server/response.ts';
import { encodeJson } from '../../server/json-encoding.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { describeIntegers, requireIntegers } from '../parameters.ts';
import type { Routes } from '../../server/route-table.ts';
import { toActiveMachines } from '../../wire/active-machines.ts';

const RULES = [
  {
    name: 'limit',
    description: 'The largest number of machines in the list.',
    fallback: MAX_ACTIVE_MACHINES,
    minimum: 1,
    maximum: MAX_ACTIVE_MACHINES,
  },
] as const;

const ACTIVE_MACHINES: RouteDescription = {
  operationId: 'listActiveMachines',
  summary: 'List the machines with the most recent indexed events, and the progress of the indexes.',
  query: describeIntegers(RULES),
  responses: { 200: 'ActiveMachines' },
  faults: ['ParametersInvalid', 'ClockInvalid', 'ServiceNotInitialised', 'StoreUnavailable'],
  caching: 'revalidated',
  block: 'never',
};

export function activeMachinesRoutes(routes: Routes, ctx: Ctx): void {
  routes.get('/active-machines', { profile: 'read', description: ACTIVE_MACHINES }, async (request) => {
    const limit = Number(requireIntegers(request.query, RULES)[0]);
    sendCacheableJson(request, encodeJson(toActiveMachines(await listActiveMachines(ctx, limit), ctx.namespace)));
  });
}
