/** `GET /operator/{did}/machines` (interface, Read routes; http-facts 3 and 7). */
import { listFleet, type FleetPage } from '../../actions/fleet.ts';
import { Fault } from '../../domain/faults.ts';
import { didPrefix, parseAddress, type Address } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendCacheableJson } from '../server/response.ts';
import { encodeJson } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import { describeIntegers, requireIntegers, toPosition, type DescribedIntegerRule } from './parameters.ts';
import type { Routes } from '../server/route-table.ts';
import { operatorText } from '../schemas/json-schema.ts';
import { toFleetPage } from '../wire/fleet.ts';

export const PAGE_RULES: readonly DescribedIntegerRule[] = [
  { name: 'offset', description: 'The number of machines to skip.', fallback: 0, minimum: 0 },
  { name: 'limit', description: 'The largest number of machines on the page.', fallback: 20, minimum: 1, maximum: 20 },
];

export function fleetRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  routes.get(
    '/operator/:did/machines',
    { profile: 'operator', description: describeFleet(namespace) },
    async (request) => {
      const { address, operatorDid } = requireOperator(request.parameter('did'), namespace);
      const [offset, limit] = requireIntegers(request.query, PAGE_RULES) as [bigint, bigint];
      const page = await listFleet(ctx, address, toPosition(offset), Number(limit));
      const encoded = encodeJson(toFleetPage(page, { operatorDid, offset, limit }, namespace));
      sendCacheableJson(request, encoded, oldestBlock(page));
    },
  );
}

function describeFleet(namespace: Namespace): RouteDescription {
  return {
    operationId: 'listFleet',
    summary: 'List the machines that an operator owns or controls, by machine id, with the age of the index.',
    parameters: { did: operatorText(namespace) },
    query: describeIntegers(PAGE_RULES),
    responses: { 200: 'Fleet' },
    faults: [
      'OperatorMalformed',
      'OperatorDidEmpty',
      'ParametersInvalid',
      'OperatorIndexSyncing',
      'OperatorIndexStale',
      'OwnershipIndexRepairing',
      'ClockInvalid',
      'AltSnapshotOutOfDate',
      'ServiceNotInitialised',
      'StoreUnavailable',
    ],
    caching: 'revalidated',
    block: 'sometimes',
  };
}

/** Accepts the DID or the bare address, in any letter case. */
function requireOperator(text: string, namespace: Namespace): { address: Address; operatorDid: string } {
  const prefix = didPrefix(namespace);
  const payload = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  if (payload === '' && text !== '') throw new Fault('OperatorDidEmpty', {});
  const address = parseAddress(payload);
  if (address === undefined) throw new Fault('OperatorMalformed', {});
  return { address, operatorDid: prefix + payload };
}

/** Cached snapshots of one page may be of different blocks; the page is as old as the oldest one. */
function oldestBlock({ machines }: FleetPage) {
  const blocks = machines.map(({ snapshot }) => snapshot.block);
  return blocks.reduce<(typeof blocks)[number] | undefined>(
    (oldest, block) => (oldest === undefined || block.number < oldest.number ? block : oldest),
    undefined,
  );
}
