/**
 * What does the service say about itself? An OpenAPI 3.1 document, made from what the routes declare and from the error table; a test
 * holds every answer against it. It describes and judges nothing.
 */
import type { FaultKind } from '../../domain/faults.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { ERROR_HELP } from './error-help.ts';
import { describeErrors, VALIDATION_ISSUE_SCHEMA } from './errors.ts';
import { activeMachinesSchema } from './active-machines.ts';
import { challengeSchema, receiptSchema } from './chip.ts';
import { closedObject, refer, TEXT, type JsonSchema } from './json-schema.ts';
import { boundFleetSchema, boundMcrRecordSchema } from './bound-addresses.ts';
import { fleetSchema } from './fleet.ts';
import { DECISION_STATE_SCHEMA, publishedDeploymentSchema } from './monetization.ts';
import { eventListingSchema, historySchema } from './machine-history.ts';
import { cardSchema, explanationSchema, mcrRecordSchema, profileSchema } from './machines.ts';
import { HEALTH_SCHEMA, READINESS_SCHEMA, STATUS_SCHEMA } from './health.ts';
import { verifyRecordSchema } from './verify-record.ts';
import type { Media } from '../images/svg-media.ts';
import { ROUTE_PROFILES, type ProfileName } from '../server/route-profiles.ts';

export interface RouteDescription {
  /** Unique among all routes. */
  readonly operationId: string;
  readonly summary: string;
  /** Under which readers find it; left out: as its surface says. */
  readonly group?: string;
  /** Parameters of the path by name. */
  readonly parameters?: Readonly<Record<string, JsonSchema>>;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly body?: JsonSchema;
  /** Names of schemas by status, for answers that are no errors. */
  readonly answers: Readonly<Record<number, SchemaName>>;
  /** Of these answers; left out: JSON. */
  readonly media?: Media;
  /** What the action and the parsing may throw, besides what every route may. */
  readonly faults: readonly FaultKind[];
  /** `revalidated`: sent with `sendCacheableJson`; `never`: with `sendUncached`. */
  readonly caching: 'revalidated' | 'never';
  /** Whether the answer names the block it stands on: the headers `chain-block` and `chain-block-age`. */
  readonly block: 'always' | 'sometimes' | 'never';
}

const OPENAPI_SCHEMA = closedObject({
  openapi: TEXT,
  info: { type: 'object' },
  servers: { type: 'array' },
  paths: { type: 'object' },
  components: { type: 'object' },
  'x-errors': { type: 'object', additionalProperties: closedObject({ cause: TEXT, remedy: TEXT }) },
});

export interface DescribedRoute {
  readonly method: string;
  /** As registered. */
  readonly path: string;
  readonly surface: ProfileName;
  readonly description: RouteDescription;
}

/** How readers find a route. */
const GROUPS: { readonly [S in ProfileName]: string } = {
  read: 'Machines',
  metadata: 'Machines',
  operator: 'Operators',
  'bound-address': 'Bound wallets',
  monetization: 'Monetization',
  verify: 'Verification',
  'chip-challenge': 'Verification',
  'chip-evidence': 'Verification',
  probe: 'Operation',
  page: 'Documents',
};

/** What any route may answer instead of its own; `ChainUnreadable` is also a missed deadline. */
export const ALWAYS = [
  'RateLimited',
  'RequestMalformed',
  'RequestTooLarge',
  'RequestTimeout',
  'ChainUnreadable',
  'Unexpected',
] as const;

function createSchemas(namespace: Namespace) {
  return {
    McrRecord: mcrRecordSchema(namespace),
    Explanation: explanationSchema(namespace),
    History: historySchema(namespace),
    EventListing: eventListingSchema(namespace),
    Profile: profileSchema(namespace),
    Card: cardSchema(namespace),
    Fleet: fleetSchema(namespace),
    ActiveMachines: activeMachinesSchema(namespace),
    BoundMcrRecord: boundMcrRecordSchema(namespace),
    BoundFleet: boundFleetSchema(namespace),
    MonetizationState: DECISION_STATE_SCHEMA,
    PublishedDeployment: publishedDeploymentSchema(namespace),
    VerifyRecord: verifyRecordSchema(namespace),
    ChipChallenge: challengeSchema(namespace),
    ChipReceipt: receiptSchema(namespace),
    Health: HEALTH_SCHEMA,
    Readiness: READINESS_SCHEMA,
    Status: STATUS_SCHEMA,
    ValidationIssue: VALIDATION_ISSUE_SCHEMA,
    LlmsText: { ...TEXT, description: 'Markdown.' },
    SvgImage: { ...TEXT, description: 'An SVG image.' },
    PngImage: { description: 'A PNG image of 1200 x 630 pixels.', contentMediaType: 'image/png' },
    OpenapiDocument: OPENAPI_SCHEMA,
  };
}

export type SchemaName = keyof ReturnType<typeof createSchemas>;

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
    // Why, and what to do, by the names that stand in the descriptions of answers.
    'x-errors': ERROR_HELP,
  };
}

function toOperation({ surface, description }: DescribedRoute): object {
  const { operationId, summary, group, parameters, query, body } = description;
  return {
    operationId,
    tags: [group ?? GROUPS[surface]],
    summary,
    parameters: [...toParameters('path', parameters), ...toParameters('query', query)],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...toAnswers(surface, description), ...toErrors(surface, description) },
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

function toAnswers(surface: ProfileName, { answers, caching, block, media }: RouteDescription): Record<string, object> {
  const decimal = toHeader({ type: 'string', pattern: '^[0-9]+$' }, block === 'always');
  const headers = {
    ...toHeaders(surface, caching === 'never' ? 'no-store' : 'no-cache'),
    ...(caching === 'revalidated' && { ETag: toHeader({ type: 'string', pattern: '^"[^"]+"$' }) }),
    ...(block !== 'never' && { 'chain-block': decimal, 'chain-block-age': decimal }),
    ...(media && toConstantHeaders(media)),
  };
  const mediaType = media?.type.split(';')[0] ?? 'application/json';
  const responses: Record<string, object> = {};
  for (const [status, name] of Object.entries(answers)) {
    responses[status] = { description: name, headers, content: { [mediaType]: { schema: refer(name) } } };
  }
  if (caching === 'revalidated') responses[304] = { description: 'Not modified', headers };
  return responses;
}

function toConstantHeaders({ headers }: Media): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, toHeader({ type: 'string', const: value })]),
  );
}

/** A status that a plain answer has, too, such as a probe's 503, keeps both forms. */
function toErrors(surface: ProfileName, { answers, faults }: RouteDescription): Record<string, object> {
  const kinds = [...new Set([...faults, ...ALWAYS])];
  const statuses = new Set(kinds.flatMap((kind) => describeErrors(surface, kind).map(({ status }) => status)));
  const responses = [...statuses].map((status) => {
    const name = answers[status];
    return [status, toErrorResponse(surface, kinds, status, name === undefined ? [] : [refer(name)])] as const;
  });
  return Object.fromEntries(responses);
}

/** The answers of this status to these kinds of faults. */
function toErrorResponse(
  surface: ProfileName,
  kinds: readonly (FaultKind | 'Unexpected')[],
  status: number,
  otherBodies: readonly JsonSchema[] = [],
): object {
  const described = kinds.map((kind) => ({ kind, errors: describeErrors(surface, kind) }));
  const errors = described.flatMap(({ errors }) => errors).filter((error) => error.status === status);
  const headers: Record<string, object> = toHeaders(surface, 'no-store');
  for (const name of new Set(errors.flatMap((error) => error.headers))) {
    const isRequired = otherBodies.length === 0 && errors.every((error) => error.headers.includes(name));
    headers[name] = toHeader({ type: 'string' }, isRequired);
  }
  const bodies = unique([...otherBodies, ...errors.map(({ body }) => body)]);
  const description = described.filter((entry) => entry.errors.some((error) => error.status === status));
  return {
    description: description.map(({ kind }) => kind).join(', '),
    headers,
    content: { 'application/json': { schema: bodies.length === 1 ? bodies[0]! : { anyOf: bodies } } },
  };
}

function toHeader(schema: JsonSchema, required = true): object {
  return { required, schema };
}

/** What every answer of a surface wears. */
function toHeaders(surface: ProfileName, cacheControl: string): Record<string, object> {
  const headers: Record<string, object> = { 'Cache-Control': toHeader({ type: 'string', const: cacheControl }) };
  const own = ROUTE_PROFILES[surface].headers;
  for (let i = 0; i < own.length; i += 2) headers[own[i]!] = toHeader({ type: 'string', const: own[i + 1] });
  return headers;
}

function unique(schemas: readonly JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
