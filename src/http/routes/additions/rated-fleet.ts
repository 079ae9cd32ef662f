/** `GET /operator/{did}/fleet` and `/operator/{did}/fleet.csv` (decisions 4): an operator's machines, each with its rating. */
import { listRatedFleet } from '../../../actions/fleet.ts';
import type { Namespace } from '../../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import type { Media } from '../../images/svg-media.ts';
import { MAX_RATED_PAGE_SIZE } from '../../schemas/fleet.ts';
import { operatorText } from '../../schemas/json-schema.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { encodeJson, encodeText } from '../../server/json-encoding.ts';
import { sendCacheableJson, sendMedia } from '../../server/response.ts';
import type { Routes } from '../../server/route-table.ts';
import { formatFleetCsv, toRatedFleet } from '../../wire/rated-fleet.ts';
import { FLEET_FAULTS, oldestBlock, requireOperator } from '../fleet.ts';
import { describeIntegers, requireIntegers, toPosition, type DescribedIntegerRule } from '../parameters.ts';

const OFFSET: DescribedIntegerRule = {
  name: 'offset',
  description: 'The number of machines to skip.',
  fallback: 0,
  minimum: 0,
};
const PAGE_RULES: readonly DescribedIntegerRule[] = [
  OFFSET,
  {
    name: 'limit',
    description: 'The largest number of machines on the page.',
    fallback: MAX_RATED_PAGE_SIZE,
    minimum: 1,
    maximum: MAX_RATED_PAGE_SIZE,
  },
];
const MAX_CSV_ROWS = 10_000;
const CSV_RULES: readonly DescribedIntegerRule[] = [
  OFFSET,
  {
    name: 'limit',
    description: 'The largest number of rows.',
    fallback: MAX_CSV_ROWS,
    minimum: 1,
    maximum: MAX_CSV_ROWS,
  },
];

const CSV_MEDIA: Media = {
  type: 'text/csv; charset=utf-8',
  headers: { 'Content-Disposition': 'attachment; filename="fleet.csv"', 'X-Content-Type-Options': 'nosniff' },
};

export function ratedFleetRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const describe = describeRoutes(namespace);

  routes.get('/operator/:did/fleet', { profile: 'operator', description: describe.page }, async (request) => {
    const { address, operatorDid } = requireOperator(request.parameter('did'), namespace);
    const [offset, limit] = requireIntegers(request.query, PAGE_RULES) as [bigint, bigint];
    const page = await listRatedFleet(ctx, address, toPosition(offset), Number(limit));
    const encoded = encodeJson(toRatedFleet(page, { operatorDid, offset, limit }, namespace));
    sendCacheableJson(request, encoded, oldestBlock(page));
  });

  routes.get('/operator/:did/fleet.csv', { profile: 'operator', description: describe.csv }, async (request) => {
    const { address } = requireOperator(request.parameter('did'), namespace);
    const [offset, limit] = requireIntegers(request.query, CSV_RULES) as [bigint, bigint];
    const page = await listRatedFleet(ctx, address, toPosition(offset), Number(limit));
    sendMedia(request, encodeText(formatFleetCsv(page, namespace)), CSV_MEDIA, oldestBlock(page));
  });
}

function describeRoutes(namespace: Namespace) {
  const shared = {
    parameters: { did: operatorText(namespace) },
    faults: FLEET_FAULTS,
    caching: 'revalidated',
    block: 'sometimes',
  } as const;
  return {
    page: {
      ...shared,
      operationId: 'listRatedFleet',
      summary: 'List the machines of an operator with their ratings, those of the alt chain too.',
      query: describeIntegers(PAGE_RULES),
      responses: { 200: 'RatedFleet' },
    },
    csv: {
      ...shared,
      operationId: 'exportFleet',
      summary: 'Export the machines of an operator with their ratings as CSV, one line per machine.',
      query: describeIntegers(CSV_RULES),
      responses: { 200: 'FleetCsv' },
      media: CSV_MEDIA,
    },
  } satisfies Record<string, RouteDescription>;
}
