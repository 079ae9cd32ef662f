/**
 * Directory of machines: `GET /directory`, `/directory.csv` and `/directory/summary` (decisions 4, docs/decisions/directory.md). Pages are
 * followed by cursor.
 */
import { listDirectory, summarizeDirectory } from '../../../actions/directory.ts';
import { parseAltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { didPrefix, parseAddress } from '../../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../../domain/identifiers/namespace.ts';
import {
  FACET_NAMES,
  FACETS,
  DIRECTORY_KEYS,
  MAX_EXPORTED_MACHINES,
  type DirectoryHolder,
  type DirectoryKey,
  type DirectoryPosition,
  type DirectoryQuery,
} from '../../../domain/machine/machine-directory.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import type { Media } from '../../images/svg-media.ts';
import { DIRECTORY_CURSOR, MAX_DIRECTORY_PAGE, toMemberName } from '../../schemas/directory.ts';
import { operatorText, TEXT, type JsonSchema } from '../../schemas/json-schema.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { encodeJson, encodeText } from '../../server/json-encoding.ts';
import type { RequestContext } from '../../server/request-context.ts';
import { sendCacheableJson, sendMedia } from '../../server/response.ts';
import { JSON_MEDIA } from '../../server/route-profiles.ts';
import type { Routes } from '../../server/route-table.ts';
import {
  formatCursor,
  formatDirectoryCsv,
  parseCursor,
  toDirectoryPage,
  toDirectorySummary,
} from '../../wire/directory.ts';
import { FLEET_FAULTS } from '../fleet.ts';
import {
  describeIntegers,
  requireIntegers,
  requireText,
  requireWords,
  type DescribedIntegerRule,
} from '../parameters.ts';

const ACTIVE_SINCE: DescribedIntegerRule = {
  name: 'active_since',
  description: 'Selects machines with an event at or after this Unix second.',
  fallback: 0,
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
};
const PAGE_RULES: readonly DescribedIntegerRule[] = [
  ACTIVE_SINCE,
  {
    name: 'limit',
    description: 'The largest number of machines on the page.',
    fallback: 50,
    minimum: 1,
    maximum: MAX_DIRECTORY_PAGE,
  },
];
const CSV_RULES: readonly DescribedIntegerRule[] = [
  ACTIVE_SINCE,
  {
    name: 'limit',
    description: 'The largest number of rows.',
    fallback: MAX_EXPORTED_MACHINES,
    minimum: 1,
    maximum: MAX_EXPORTED_MACHINES,
  },
];
const SORTS = DIRECTORY_KEYS.flatMap((key) => [key, `-${key}`]);
const DEFAULT_SORT = '-score';

const CSV_MEDIA: Media = {
  type: 'text/csv; charset=utf-8',
  headers: { 'Content-Disposition': 'attachment; filename="machines.csv"', 'X-Content-Type-Options': 'nosniff' },
};

const OWNER = 'an address of the main chain or a key of the alt chain';

export function directoryRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const describe = describeDirectory(namespace);

  routes.get('/directory', { profile: 'read', description: describe.page }, async (request) => {
    const query = requireQuery(request.query, PAGE_RULES, namespace);
    request.setPhase('store');
    const page = await listDirectory(ctx, query);
    sendMedia(request, encodeJson(toDirectoryPage(page, namespace)), linkNext(JSON_MEDIA, request, page.next));
  });

  routes.get('/directory.csv', { profile: 'read', description: describe.csv }, async (request) => {
    const query = requireQuery(request.query, CSV_RULES, namespace);
    request.setPhase('store');
    const page = await listDirectory(ctx, query);
    sendMedia(request, encodeText(formatDirectoryCsv(page, namespace)), linkNext(CSV_MEDIA, request, page.next));
  });

  routes.get('/directory/summary', { profile: 'read', description: describe.summary }, async (request) => {
    request.setPhase('store');
    sendCacheableJson(request, encodeJson(toDirectorySummary(await summarizeDirectory(ctx))));
  });
}

/** Throws `ParametersInvalid`. */
function requireQuery(text: string, rules: readonly DescribedIntegerRule[], namespace: Namespace): DirectoryQuery {
  const [activeSince, limit] = requireIntegers(text, rules).map(Number) as [number, number];
  const facets = FACET_NAMES.map((facet) => [facet, requireWords(text, toMemberName(facet), FACETS[facet])]);
  const holder = requireHolder(text, namespace);
  const expected = holder === undefined ? `one of ${SORTS.join(', ')}` : 'id, which orders the machines of one holder';
  const sort = requireText(text, 'sort', expected, (given) =>
    (holder === undefined ? SORTS : ['id']).find((known) => known === given),
  );
  const order = sort ?? (holder === undefined ? DEFAULT_SORT : 'id');
  return {
    key: order.replace('-', '') as DirectoryKey,
    isDescending: order.startsWith('-'),
    holder,
    facets: Object.fromEntries(facets.filter(([, values]) => values !== undefined)) as DirectoryQuery['facets'],
    activeSince,
    after: requireText(text, 'after', '`next` of a page in the same order', parseCursor),
    limit,
  };
}

function requireHolder(text: string, namespace: Namespace): DirectoryHolder | undefined {
  const operator = requireText(text, 'operator', 'the address or the DID of an operator', (given) => {
    const prefix = didPrefix(namespace);
    return parseAddress(given.startsWith(prefix) ? given.slice(prefix.length) : given);
  });
  const owner = requireText(text, 'owner', operator === undefined ? OWNER : 'left out beside operator', (given) =>
    operator === undefined ? (parseAddress(given) ?? parseAltKey(given)) : undefined,
  );
  if (operator !== undefined) return { kind: 'operator', address: operator };
  return owner === undefined ? undefined : { kind: 'owner', account: owner };
}

/** Adds the link to the next page, which repeats the request. */
function linkNext(media: Media, request: RequestContext, next: DirectoryPosition | undefined): Media {
  if (next === undefined) return media;
  const query = new URLSearchParams(request.query);
  query.set('after', formatCursor(next));
  return { ...media, headers: { ...media.headers, Link: `<?${query.toString()}>; rel="next"` } };
}

function describeDirectory(namespace: Namespace) {
  const shared = {
    group: 'Directory',
    faults: FLEET_FAULTS.filter(
      (fault) => !['OperatorMalformed', 'OperatorDidEmpty', 'OwnershipIndexRepairing', 'ClockInvalid'].includes(fault),
    ),
    caching: 'revalidated',
    block: 'never',
  } as const;
  const query = (rules: readonly DescribedIntegerRule[]) => ({
    ...Object.fromEntries(FACET_NAMES.map((facet) => [toMemberName(facet), describeWords(FACETS[facet])])),
    operator: { ...operatorText(namespace), description: 'Selects the machines of an operator, by id.' },
    owner: {
      ...{ ...TEXT, pattern: '^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$' },
      description: 'Selects the machines of an owner, by id. Not beside `operator`.',
    },
    ...describeIntegers(rules),
    sort: {
      ...{ ...TEXT, pattern: `^-?(?:${DIRECTORY_KEYS.join('|')})$`, default: DEFAULT_SORT },
      description: 'Order; `-` begins with the largest. Machines of one holder are ordered by id.',
    },
    after: { ...DIRECTORY_CURSOR, description: '`next` of the previous page; left out: the first page.' },
  });
  return {
    page: {
      ...shared,
      operationId: 'listDirectory',
      summary: 'List the machines of the deployment as they were last observed.',
      query: query(PAGE_RULES),
      responses: { 200: 'Directory' },
      linksNext: true,
    },
    csv: {
      ...shared,
      operationId: 'exportDirectory',
      summary: 'Export the machines of the deployment as CSV, one line per machine.',
      query: query(CSV_RULES),
      responses: { 200: 'DirectoryCsv' },
      media: CSV_MEDIA,
      linksNext: true,
    },
    summary: {
      ...shared,
      operationId: 'summarizeDirectory',
      summary: 'Count the machines of the deployment by rating, bond, flag, verification, opt-in and home.',
      responses: { 200: 'DirectorySummary' },
    },
  } satisfies Record<string, RouteDescription>;
}

function describeWords(values: readonly string[]): JsonSchema {
  const one = `(?:${values.join('|')})`;
  return {
    ...TEXT,
    ...{ pattern: `^(?:${one}(?:,${one})*)?$`, maxLength: 200 },
    ...{ description: `Comma list of ${values.join(', ')}; left out: all.`, examples: [values.slice(0, 2).join(',')] },
  };
}
