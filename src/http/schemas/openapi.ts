/**
 * The OpenAPI 3.1 document, built from what the routes declare, the schemas of responses and the error table. Tests compare it with
 * the service's responses.
 */
import type { FaultKind } from '../../domain/faults.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { agentFileResponses } from './agent-files.ts';
import { changeParts, changeResponses } from './changes.ts';
import { chipResponses } from './chip.ts';
import { ERROR_HELP } from './error-help.ts';
import { describeErrors, VALIDATION_ISSUE } from './errors.ts';
import { exampleOf } from './example.ts';
import { didResponses } from './did-document.ts';
import { directoryParts, directoryResponses } from './directory.ts';
import { fleetParts, fleetResponses } from './fleet.ts';
import { healthParts, healthResponses } from './health.ts';
import { closedObject, described, listOf, refer, TEXT, type JsonSchema, type Properties } from './json-schema.ts';
import { historyParts, historyResponses } from './machine-history.ts';
import { machineParts, machineResponses } from './machines.ts';
import { monetizationParts, monetizationResponses } from './monetization.ts';
import { statementResponses } from './statements.ts';
import { verifyParts, verifyResponses } from './verify-record.ts';
import { isErrorImage } from '../images/error-images.ts';
import { SVG_MEDIA, type Media } from '../images/svg-media.ts';
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
  /** Whether a `Link` header names the next page. */
  readonly linksNext?: boolean;
  /** Media type of these responses; left out: JSON. */
  readonly media?: Media;
  /** Schemas by further media types, which the Accept header selects. */
  readonly otherMedia?: Readonly<Record<string, SchemaName>>;
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

/** Groups of the reference, in its order. */
const GROUP_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Machines: 'Ratings, explanations, history, profiles and cards of machines.',
  Operators: 'The machines of an operator.',
  Directory: 'All machines of the deployment, as they were last observed.',
  'Bound wallets': 'Legacy machines by the wallet of the alt chain that they are bound to.',
  Monetization: 'Signed decisions to opt a machine in or out.',
  Verification: 'Verification of operators and chips, and the evidence of onboarding providers.',
  Operation: 'Health, readiness and freshness of the service.',
  Statements: 'Ratings as signed documents, and the keys that sign them.',
  Documents: 'This document, and a summary for language models.',
};

const DESCRIPTION = [
  'Ratings of machines, computed from their chains. Reads need no credentials.',
  'Machine ids are decimal text: a JSON number would round them. 404 says that something does not exist. 503 says nothing about it:',
  'keep your last known value and retry after `Retry-After` seconds if that header is present. `chain-block` is the block that a',
  'response was computed at, and `chain-block-age` its age in seconds. Clients branch on the `code` of an error, or on its fixed text.',
].join(' ');

const TOKEN_SCHEME = 'onboardingToken';
const SECURITY_SCHEMES = {
  [TOKEN_SCHEME]: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of an onboarding provider. Operators of machines do not have it.',
  },
};
const TOKEN_PROFILES: readonly ProfileName[] = ['chip-challenge', 'chip-evidence'];

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
    ...directoryResponses(),
    ...changeResponses(),
    ...monetizationResponses(namespace),
    ...verifyResponses(namespace),
    ...chipResponses(namespace),
    ...statementResponses(namespace),
    ...didResponses(namespace),
    ...agentFileResponses(namespace),
    ...healthResponses(),
  };
}

/** Returns the schemas that are referenced by name. */
export function createPartSchemas(namespace: Namespace) {
  return {
    ...machineParts(namespace),
    ...historyParts(),
    ...fleetParts(namespace),
    ...directoryParts(namespace),
    ...monetizationParts(namespace),
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
  FleetCsv: described(TEXT, 'CSV with a header line; ids are quoted.', 'machine_id,did\r\n'),
  DirectoryCsv: described(TEXT, 'CSV with a header line; ids are quoted.', 'machine_id,did\r\n'),
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
      tags: listOf(closedObject({ name: TEXT, description: TEXT })),
      servers: listOf(closedObject({ url: TEXT })),
      paths: { type: 'object' },
      components: { type: 'object' },
      'x-errors': { type: 'object', additionalProperties: closedObject({ cause: TEXT, remedy: TEXT }) },
    }),
    'An OpenAPI 3.1 document.',
  ),
};

export type SchemaName = keyof ReturnType<typeof createResponseSchemas> | keyof typeof DOCUMENTS;

function createSchemas(namespace: Namespace): Properties {
  const parts = createPartSchemas(namespace);
  const responses = Object.entries<JsonSchema>(createResponseSchemas(namespace));
  const withExamples = responses.map(([name, schema]) => [name, { ...schema, examples: [exampleOf(schema, parts)] }]);
  return { ...(Object.fromEntries(withExamples) as Properties), ...DOCUMENTS, ...parts };
}

export function createDocument(routes: readonly DescribedRoute[], namespace: Namespace, publicUrl: string): object {
  const schemas = createSchemas(namespace);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[route.path.replace(/:([a-zA-Z_]+)/g, '{$1}')] ??= {});
    path[route.method.toLowerCase()] = toOperation(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Machine Rating, Monetization and Verification Service',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: listTags(routes),
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas,
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

function groupOf({ profile, description: { group } }: DescribedRoute): string {
  return group ?? GROUPS[profile];
}

function listTags(routes: readonly DescribedRoute[]): object[] {
  const used = new Set(routes.map(groupOf));
  return [...used].map((name) => ({ name, description: GROUP_DESCRIPTIONS[name] }));
}

function toOperation(route: DescribedRoute, schemas: Properties): object {
  const { profile, description } = route;
  const { operationId, summary, parameters, query, body } = description;
  return {
    operationId,
    tags: [groupOf(route)],
    summary,
    security: TOKEN_PROFILES.includes(profile) ? [{ [TOKEN_SCHEME]: [] }] : [],
    parameters: [...toParameters('path', parameters), ...toParameters('query', query)],
    ...(body && { requestBody: toRequestBody(body, schemas) }),
    responses: { ...toSuccesses(profile, description, schemas), ...toErrors(profile, description) },
  };
}

function toRequestBody(schema: JsonSchema, parts: Properties): object {
  return { required: true, content: { 'application/json': { schema, example: exampleOf(schema, parts) } } };
}

function toParameters(place: 'path' | 'query', schemas: Readonly<Record<string, JsonSchema>> = {}): object[] {
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path',
    description: schema['description'],
    schema,
  }));
}

function toSuccesses(
  profile: ProfileName,
  { responses, caching, block, media, otherMedia = {}, linksNext = false }: RouteDescription,
  schemas: Properties,
): Record<string, object> {
  const decimal = toHeader({ type: 'string', pattern: '^[0-9]+$' }, block === 'always');
  const headers = {
    ...toHeaders(profile, caching === 'never' ? 'no-store' : 'no-cache'),
    ...(caching === 'revalidated' && { ETag: toHeader({ type: 'string', pattern: '^"[^"]+"$' }) }),
    ...(block !== 'never' && { 'chain-block': decimal, 'chain-block-age': decimal }),
    ...(linksNext && { Link: toHeader({ type: 'string' }, false) }),
    ...(media && toConstantHeaders(media)),
  };
  const mediaType = media?.type.split(';')[0] ?? 'application/json';
  const others = Object.entries(otherMedia).map(([type, name]) => [type, { schema: refer(name) }] as const);
  const successes: Record<string, object> = {};
  for (const [status, name] of Object.entries(responses)) {
    successes[status] = {
      description: schemas[name]!['description'],
      headers,
      content: { [mediaType]: { schema: refer(name) }, ...Object.fromEntries(others) },
    };
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
function toErrors(
  profile: ProfileName,
  { responses: successes, faults, media }: RouteDescription,
): Record<string, object> {
  const kinds = [...new Set([...faults, ...ALWAYS])];
  const statuses = new Set(kinds.flatMap((kind) => describeErrors(profile, kind).map(({ status }) => status)));
  const responses = [...statuses].map((status) => {
    const name = successes[status];
    const response = toErrorResponse(profile, kinds, status, name === undefined ? [] : [refer(name)]);
    const isImage = media?.type.startsWith('image/') === true && isErrorImage(status);
    return [status, isImage ? toImage(response) : response] as const;
  });
  return Object.fromEntries(responses);
}

/** Describes an error response whose JSON an image replaces. */
function toImage(response: ErrorResponse): ErrorResponse {
  return {
    ...response,
    headers: { ...response.headers, ...toConstantHeaders(SVG_MEDIA) },
    content: { 'image/svg+xml': { schema: refer('SvgImage') } },
  };
}

interface ErrorResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, object>>;
  readonly content: Readonly<Record<string, object>>;
}

/** Describes the responses of one status to these kinds of faults. */
function toErrorResponse(
  profile: ProfileName,
  kinds: readonly (FaultKind | 'Unexpected')[],
  status: number,
  otherBodies: readonly JsonSchema[] = [],
): ErrorResponse {
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
