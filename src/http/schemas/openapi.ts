/**
 * The OpenAPI 3.1 document, built from what the routes declare, the schemas of responses and the error table. Tests compare it with
 * the service's responses.
 */
import type { FaultKind } from '../../domain/faults.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { changeParts, changeResponses } from './changes.ts';
import { chipResponses } from './chip.ts';
import { ERROR_HELP } from './error-help.ts';
import { describeErrors, VALIDATION_ISSUE } from './errors.ts';
import { exampleOf } from './example.ts';
import { fleetParts, fleetResponses } from './fleet.ts';
import { healthParts, healthResponses } from './health.ts';
import { closedObject, described, refer, TEXT, type JsonSchema } from './json-schema.ts';
import { historyParts, historyResponses } from './machine-history.ts';
import { machineParts, machineResponses } from './machines.ts';
import { monetizationResponses } from './monetization.ts';
import { statementResponses } from './statements.ts';
import { verifyParts, verifyResponses } from './verify-record.ts';
import type { Media } from '../images/svg-media.ts';
import { ROUTE_PROFILES, type ProfileName } from '../server/route-profiles.ts';

export interface RouteDescription {
  /** Unique among all routes. */
  readonly operationId: string;
  readonly summary: string;
  /** The group in the reference; left out: that of the route profile. */
  readonly group?: string;
  /** Parameters of the path by name. */
  readonly parameters?: Readonly<Record<string, JsonSchema>>;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly body?: JsonSchema;
  /** Names of the schemas of successful responses by status. */
  readonly responses: Readonly<Record<number, SchemaName>>;
  /** Media type of these responses; left out: JSON. */
  readonly media?: Media;
  /** What the action and the parsing may throw, besides what every route may. */
  readonly faults: readonly FaultKind[];
  /** `revalidated`: sent with `sendCacheableJson`; `never`: with `sendUncached`. */
  readonly caching: 'revalidated' | 'never';
  /** Whether responses carry `chain-block` and `chain-block-age`. */
  readonly block: 'always' | 'sometimes' | 'never';
}

export interface DescribedRoute {
  readonly method: string;
  /** As registered. */
  readonly path: string;
  readonly profile: ProfileName;
  readonly description: RouteDescription;
}

const GROUPS: { readonly [S in ProfileName]: string } = {
  read: 'Machines',
  metadata: 'Machines',
  operator: 'Operators',
  'bound-address': 'Bound wallets',
  monetization: 'Monetization',
  verify: 'Verification',
  'chip-challenge': 'Verification',
  'chip-evidence': 'Verification',
  health: 'Operation',
  page: 'Documents',
};

/** Faults that any route may respond with; `ChainUnreadable` is also a missed deadline. */
export const ALWAYS = [
  'RateLimited',
  'RequestMalformed',
  'RequestTooLarge',
  'RequestTimeout',
  'ChainUnreadable',
  'LookupsExceeded',
  'Unexpected',
] as const;

/** Describes the JSON bodies of successful responses by name. */
export function createResponseSchemas(namespace: Namespace) {
  return {
    ...machineResponses(namespace),
    ...historyResponses(namespace),
    ...fleetResponses(namespace),
    ...changeResponses(),
    ...monetizationResponses(namespace),
    ...verifyResponses(namespace),
    ...chipResponses(namespace),
    ...statementResponses(namespace),
    ...healthResponses(),
  };
}

/** Returns the schemas that are referenced by name. */
export function createPartSchemas(namespace: Namespace) {
  return {
    ...machineParts(namespace),
    ...historyParts(),
    ...fleetParts(namespace),
    ...changeParts(namespace),
    ...verifyParts(),
    ...healthParts(),
    ValidationIssue: VALIDATION_ISSUE,
  };
}

const DOCUMENTS = {
  LlmsText: described(TEXT, 'Markdown.', '# Machine Rating, Monetization and Verification Service'),
  ChangeStream: described(
    TEXT,
    'Server-sent events named `change`; their data is a `Change`. Described in `/asyncapi.json`.',
    'id: 1201\nevent: change\ndata: {}\n\n',
  ),
  SvgImage: described(TEXT, 'An SVG image.', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  PngImage: { description: 'A PNG image of 1200 x 630 pixels.', contentMediaType: 'image/png' },
  AsyncapiDocument: described(
    closedObject({
      asyncapi: TEXT,
      info: { type: 'object' },
      servers: { type: 'object' },
      channels: { type: 'object' },
      operations: { type: 'object' },
    }),
    'An AsyncAPI 3.1 document.',
  ),
  OpenapiDocument: described(
    closedObject({
      openapi: TEXT,
      info: { type: 'object' },
      servers: { type: 'array' },
      paths: { type: 'object' },
      components: { type: 'object' },
      'x-errors': { type: 'object', additionalProperties: closedObject({ cause: TEXT, remedy: TEXT }) },
    }),
    'An OpenAPI 3.1 document.',
  ),
};

export type SchemaName = keyof ReturnType<typeof createResponseSchemas> | keyof typeof DOCUMENTS;

function createSchemas(namespace: Namespace): Readonly<Record<string, JsonSchema>> {
  const parts = createPartSchemas(namespace);
  const responses = Object.entries<JsonSchema>(createResponseSchemas(namespace));
  const withExamples = responses.map(([name, schema]) => [name, { ...schema, examples: [exampleOf(schema, parts)] }]);
  return { ...(Object.fromEntries(withExamples) as Readonly<Record<string, JsonSchema>>), ...DOCUMENTS, ...parts };
}

export function createDocument(routes: readonly DescribedRoute[], namespace: Namespace, publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[route.path.replace(/:([a-zA-Z_]+)/g, '{$1}')] ??= {});
    path[route.method.toLowerCase()] = toOperation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Machine Rating, Monetization and Verification Service',
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      schemas: createSchemas(namespace),
      responses: {
        RouteUnknown: toErrorResponse('page', ['RouteUnknown'], 404),
        VerifyRouteUnknown: toErrorResponse('verify', ['RouteUnknown'], 404),
        MethodNotAllowed: toErrorResponse('page', ['MethodNotAllowed'], 405),
        VerifyMethodNotAllowed: toErrorResponse('verify', ['MethodNotAllowed'], 405),
        RateLimited: toErrorResponse('page', ['RateLimited'], 429),
      },
    },
    // Cause and remedy, by the names in the descriptions of error responses.
    'x-errors': ERROR_HELP,
  };
}

function toOperation({ profile, description }: DescribedRoute): object {
  const { operationId, summary, group, parameters, query, body } = description;
  return {
    operationId,
    tags: [group ?? GROUPS[profile]],
    summary,
    parameters: [...toParameters('path', parameters), ...toParameters('query', query)],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...toSuccesses(profile, description), ...toErrors(profile, description) },
  };
}

function toParameters(place: 'path' | 'query', schemas: Readonly<Record<string, JsonSchema>> = {}): object[] {
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path',
    schema,
  }));
}

function toSuccesses(
  profile: ProfileName,
  { responses, caching, block, media }: RouteDescription,
): Record<string, object> {
  const decimal = toHeader({ type: 'string', pattern: '^[0-9]+$' }, block === 'always');
  const headers = {
    ...toHeaders(profile, caching === 'never' ? 'no-store' : 'no-cache'),
    ...(caching === 'revalidated' && { ETag: toHeader({ type: 'string', pattern: '^"[^"]+"$' }) }),
    ...(block !== 'never' && { 'chain-block': decimal, 'chain-block-age': decimal }),
    ...(media && toConstantHeaders(media)),
  };
  const mediaType = media?.type.split(';')[0] ?? 'application/json';
  const successes: Record<string, object> = {};
  for (const [status, name] of Object.entries(responses)) {
    successes[status] = { description: name, headers, content: { [mediaType]: { schema: refer(name) } } };
  }
  if (caching === 'revalidated') successes[304] = { description: 'Not modified', headers };
  return successes;
}

function toConstantHeaders({ headers }: Media): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, toHeader({ type: 'string', const: value })]),
  );
}

/** Describes the error responses by status. A status that a successful response has as well, such as 503 of readiness, lists both bodies. */
function toErrors(profile: ProfileName, { responses: successes, faults }: RouteDescription): Record<string, object> {
  const kinds = [...new Set([...faults, ...ALWAYS])];
  const statuses = new Set(kinds.flatMap((kind) => describeErrors(profile, kind).map(({ status }) => status)));
  const responses = [...statuses].map((status) => {
    const name = successes[status];
    return [status, toErrorResponse(profile, kinds, status, name === undefined ? [] : [refer(name)])] as const;
  });
  return Object.fromEntries(responses);
}

/** Describes the responses of one status to these kinds of faults. */
function toErrorResponse(
  profile: ProfileName,
  kinds: readonly (FaultKind | 'Unexpected')[],
  status: number,
  otherBodies: readonly JsonSchema[] = [],
): object {
  const byKind = kinds.map((kind) => ({ kind, errors: describeErrors(profile, kind) }));
  const errors = byKind.flatMap(({ errors }) => errors).filter((error) => error.status === status);
  const headers: Record<string, object> = toHeaders(profile, 'no-store');
  for (const name of new Set(errors.flatMap((error) => error.headers))) {
    const isRequired = otherBodies.length === 0 && errors.every((error) => error.headers.includes(name));
    headers[name] = toHeader({ type: 'string' }, isRequired);
  }
  const bodies = unique([...otherBodies, ...errors.map(({ body }) => body)]);
  const description = byKind.filter((entry) => entry.errors.some((error) => error.status === status));
  return {
    description: description.map(({ kind }) => kind).join(', '),
    headers,
    content: { 'application/json': { schema: bodies.length === 1 ? bodies[0]! : { anyOf: bodies } } },
  };
}

function toHeader(schema: JsonSchema, required = true): object {
  return { required, schema };
}

/** Describes the headers of every response of a route profile. */
function toHeaders(profile: ProfileName, cacheControl: string): Record<string, object> {
  const headers: Record<string, object> = { 'Cache-Control': toHeader({ type: 'string', const: cacheControl }) };
  const own = ROUTE_PROFILES[profile].headers;
  for (let i = 0; i < own.length; i += 2) headers[own[i]!] = toHeader({ type: 'string', const: own[i + 1] });
  return headers;
}

function unique(schemas: readonly JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
