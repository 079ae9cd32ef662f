/** Rating history and events of a machine: `GET /mcr/{did}/history` and `GET /machines/{machine_id}/events` (decisions 4). */
import { getHistory, listEvents } from '../../../actions/machine-history.ts';
import type { Namespace } from '../../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { sendCacheableJson } from '../../server/response.ts';
import { encodeJson } from '../../server/json-encoding.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { RATING_FAULTS } from '../machine-faults.ts';
import { describeIntegers, requireIntegers, requireMachineDid, requireMachineId } from '../parameters.ts';
import type { Routes } from '../../server/route-table.ts';
import { machineDid, MACHINE_ID } from '../../schemas/json-schema.ts';
import { toEventListing, toHistory } from '../../wire/machine-history.ts';

const PAGE_RULES = [
  {
    name: 'cursor',
    description: 'The cursor of the previous page; default: the newest events.',
    fallback: Number.MAX_SAFE_INTEGER,
    hidesFallback: true,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  { name: 'limit', description: 'The largest number of events on the page.', fallback: 20, minimum: 1, maximum: 100 },
] as const;

export function machineHistoryRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const describe = describeRoutes(namespace);

  routes.get('/mcr/:did/history', { profile: 'read', description: describe.history }, async (request) => {
    const history = await getHistory(ctx, requireMachineDid(request.parameter('did'), namespace));
    sendCacheableJson(request, encodeJson(toHistory(history, namespace)), history.rated.snapshot.block);
  });

  routes.get('/machines/:machine_id/events', { profile: 'read', description: describe.events }, async (request) => {
    const id = requireMachineId(request.parameter('machine_id'), 'machine_id');
    const [cursor, limit] = requireIntegers(request.query, PAGE_RULES).map(Number) as [number, number];
    const listing = await listEvents(ctx, id, { cursor, limit });
    sendCacheableJson(request, encodeJson(toEventListing(listing, namespace)), listing.snapshot.block);
  });
}

function describeRoutes(namespace: Namespace) {
  const shared = { caching: 'revalidated', block: 'always' } as const;
  return {
    history: {
      ...shared,
      operationId: 'getHistory',
      summary: 'Get the rating and the revenue of each of the last 365 days.',
      parameters: { did: machineDid(namespace) },
      responses: { 200: 'History' },
      faults: ['MachineDidMalformed', ...RATING_FAULTS],
    },
    events: {
      ...shared,
      operationId: 'listEvents',
      summary: 'List the events that the rating used, newest first, if the owner has made them visible.',
      parameters: { machine_id: MACHINE_ID },
      query: describeIntegers(PAGE_RULES),
      responses: { 200: 'EventListing' },
      faults: ['ParametersInvalid', 'EventDataPrivate', ...RATING_FAULTS],
    },
  } satisfies Record<string, RouteDescription>;
}
