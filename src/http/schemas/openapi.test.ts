import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { attempts } from '../../../testing/fixtures/evidence-vectors.ts';
import {
  AJV_OPTIONS,
  findShapeDifferences,
  type OpenapiConformance,
  conformanceOf,
  type OpenapiDocument,
} from '../../../testing/harness/openapi-conformance.ts';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { buildApp } from '../../app.ts';
import { registerRoutes } from '../routes/register-routes.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import { emptyRatingState } from '../../domain/rating/rating-state.ts';
import { DEDUCTION_TEXTS, NOTICE_TEXTS } from '../../domain/rating/reasons.ts';
import { summarize } from '../../domain/rating/summary.ts';
import type { RouteOptions, Routes } from '../server/route-table.ts';
import { SENTENCE } from './json-schema.ts';
import { createPartSchemas, createResponseSchemas } from './openapi.ts';
import { rule } from '../../../test/conformance/rule.ts';

let app: FastifyInstance;
let document: OpenapiDocument;
let conformance: OpenapiConformance;

beforeAll(async () => {
  app = await buildApp(createStubCtx(), { rateLimits: 'off' });
  document = (await app.inject('/openapi.json')).json();
  conformance = conformanceOf(document);
});
afterAll(() => app.close());

/** Returns validators of the document's components, each compiled once. */
function createAjv(): Ajv2020 {
  const ajv = new Ajv2020(AJV_OPTIONS);
  ajv.addKeyword('components');
  return ajv.addSchema({ components: document.components }, 'openapi');
}

test('describes the read routes', () => {
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/mcr/{did}',
      '/mcr/{did}/explanation',
      '/machine/{did}',
      '/metadata/{token_id}',
      '/machines/{machine_id}',
      '/v1/verify/machines/{machineId}',
      '/health',
      '/ready',
      '/openapi.json',
    ]),
  );
});

test('describes every route of the service', () => {
  rule('documents.openapi');
  const bare: string[] = [];
  const record = (path: string, { description }: RouteOptions) => {
    if (description === undefined) bare.push(path);
  };
  const recorder: Routes = { get: record, put: record, post: record, described: [] };
  registerRoutes(recorder, createStubCtx());
  expect(bare).toEqual([]);
});

test('has unique operation ids and declares the parameters of each path', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({
      path,
      ...(operation as { operationId?: string; parameters?: { in: string; name: string }[] }),
    })),
  );
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, parameters = [] } of operations) {
    const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
    expect(path.match(/\{[^}]+\}/g) ?? []).toEqual(names);
  }
});

test('has schemas that compile in the strict mode of JSON Schema 2020-12', () => {
  const ajv = createAjv();
  for (const name of Object.keys(document.components.schemas)) {
    ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
  }
});

test('describes every response and part, with an example of each response that fits its schema', () => {
  rule('documents.openapi');
  const ajv = createAjv();
  const { schemas } = document.components;
  const responses = Object.keys(createResponseSchemas(DEFAULT_NAMESPACE));
  for (const name of [...responses, ...Object.keys(createPartSchemas(DEFAULT_NAMESPACE))]) {
    expect(schemas[name], name).toHaveProperty('description');
  }
  for (const name of responses) {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
    const [example] = (schemas[name] as { readonly examples: readonly unknown[] }).examples;
    expect([name, validate(example), validate.errors]).toEqual([name, true, null]);
  }
});

test.each([
  ['ChipChallenge', attempts.first.challenge],
  ['ChipReceipt', attempts.first.receipt],
])('has an example of %s with exactly the members of the published vector', (name, vector) => {
  const { examples } = document.components.schemas[name] as { readonly examples: readonly unknown[] };
  expect(findShapeDifferences(examples[0], vector, '')).toEqual([]);
});

/** Members of another specification, whose parser checks them. */
const ASYNCAPI_MEMBERS = ['servers', 'channels', 'operations'];

test('closes every object that the service writes', () => {
  const open: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as { type?: unknown; additionalProperties?: unknown };
    if ([schema.type].flat().includes('object') && schema.additionalProperties === undefined) open.push(path);
    for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`);
  };
  visit(document.components.schemas, '');
  expect(
    open
      .map((path) => path.split('/').at(-1))
      .filter(
        (name) => !['metadata', 'partner_data', 'info', 'paths', 'components', ...ASYNCAPI_MEMBERS].includes(name!),
      ),
  ).toEqual([]);
});

/** Returns every schema and member of the document with its path. */
function listNodes(value: unknown, path = ''): (readonly [string, Readonly<Record<string, unknown>>])[] {
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Readonly<Record<string, unknown>>;
  return [[path, node], ...Object.entries(node).flatMap(([name, each]) => listNodes(each, `${path}/${name}`))];
}

test('writes no list of types, which generators of clients refuse', () => {
  rule('documents.openapi-generators');
  const multiple = listNodes(document).filter(([, { type }]) => Array.isArray(type));
  expect(multiple.map(([path]) => path)).toEqual([]);
});

/** The largest `offset` that the service accepts, which a page repeats with every digit. */
const GREATEST_OFFSET = 2 ** 256;

test('bounds every integer that the service writes to what a 64-bit float represents', () => {
  rule('documents.openapi-bounds');
  const integers = listNodes([document.components, document.paths]).filter(([, { type }]) => type === 'integer');
  const written = integers.filter(([path]) => !path.includes('/parameters/') && !path.includes('/requestBody/'));
  expect(written.length).toBeGreaterThan(100);
  const unsafe = written.filter(
    ([, { minimum, maximum }]) => !(Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum)),
  );
  expect(unsafe.map(([path, { maximum }]) => [path.split('/').slice(-3).join('/'), maximum])).toEqual(
    ['Fleet', 'RatedFleet', 'BoundFleet'].map(() => ['pagination/properties/offset', GREATEST_OFFSET]),
  );
});

/**
 * Texts and lists that nothing bounds but the size of a node's response: the main chain stores any number of services, of any length, and
 * any number of renewals. A published key is published for ever.
 */
const UNBOUNDED = [
  ...['Card.services', 'Card.services[].name', 'History.changes', 'StatementDirectory.keys'],
  ...['DidDocument.service', 'DidDocument.service[].type'],
  ...['DidResolution.didDocument.service', 'DidResolution.didDocument.service[].type'],
  ...['AgentRegistration.services', 'AgentRegistration.services[].name'],
  ...['', '[].id', '[].type', '[].endpoint'].map((member) => `ProfileFacts.service_endpoints${member}`),
  // They name the positions of nodes, of which any number is configured.
  ...['StatusCause.text', 'StatusCause.remedy'],
  // They name what the parameter accepts.
  ...['ValidationIssue.msg', 'ValidationIssue.ctx{}'],
];

/** Whole documents, whose own specifications describe them. */
const WHOLE_DOCUMENTS = ['LlmsText', 'ChangeStream', 'SvgImage', 'PngImage', 'FleetCsv', 'DirectoryCsv'];
const SPECIFICATIONS = ['AsyncapiDocument', 'OpenapiDocument'];

test('bounds every array and every text that the service writes, except those that others write', () => {
  rule('documents.openapi-bounds');
  const names = Object.keys(document.components.schemas);
  const outside = [...WHOLE_DOCUMENTS, ...SPECIFICATIONS];
  expect(names).toEqual(expect.arrayContaining(outside));
  const schemas = names.filter((name) => !outside.includes(name));
  const nodes = schemas.flatMap((name) => listNodes(document.components.schemas[name], name));
  const unbounded = nodes.filter(isUnbounded).map(([path]) => toMemberPath(path));
  expect(unbounded.toSorted()).toEqual(UNBOUNDED.toSorted());
  // An error lists every invalid parameter of a route.
  const bodies = listNodes(document.paths).filter(([path]) => /\/responses\/.+\/content\//.test(path));
  const ends = bodies.filter(isUnbounded).map(([path]) => path.split('/').at(-1));
  expect(new Set(ends)).toEqual(new Set(['detail']));
});

function isUnbounded([path, node]: readonly [string, Readonly<Record<string, unknown>>]): boolean {
  if (path.includes('/examples/')) return false;
  if (node['type'] === 'array') return !('maxItems' in node);
  return node['type'] === 'string' && !['maxLength', 'pattern', 'format', 'enum', 'const'].some((each) => each in node);
}

/** Returns the path of a schema as that of the member: `Card.services[].name`. */
function toMemberPath(path: string): string {
  return path
    .replace(/\/(?:anyOf|oneOf)\/\d+/g, '')
    .replaceAll('/additionalProperties', '{}')
    .replaceAll('/properties/', '.')
    .replaceAll('/items', '[]');
}

test('bounds its sentences to what the longest of them needs', () => {
  const phrases = Object.values(DEDUCTION_TEXTS).map(({ phrase }) => phrase);
  const state = emptyRatingState();
  const summaries = [...phrases, undefined].flatMap((phrase) => [
    summarize({ kind: 'rated', score: 100, letter: 'BBB' }, state, true, phrase),
    summarize({ kind: 'below_scale', score: 10 }, state, true, phrase),
  ]);
  const others = (['not_bonded', 'not_graduated'] as const).map((kind) => summarize({ kind }, state, true, undefined));
  const texts = [...Object.values(NOTICE_TEXTS), ...Object.values(DEDUCTION_TEXTS).map(({ text }) => text)];
  const lengths = [...texts, ...summaries, ...others].map(({ length }) => length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(SENTENCE['maxLength'] as number);
});

test('describes the codes of reasons as those of the model', () => {
  const { properties } = document.components.schemas['RatingReason'] as {
    readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  };
  expect(properties['code']!.enum).toEqual([...Object.keys(NOTICE_TEXTS), ...Object.keys(DEDUCTION_TEXTS)]);
});

test('describes the numbers of 256 bits as floats, which every generated client reads', () => {
  rule('documents.openapi-bounds');
  for (const name of ['MachineEvent', 'EventEntry']) {
    const { properties } = document.components.schemas[name] as {
      readonly properties: Readonly<Record<string, object>>;
    };
    for (const member of ['origin_value', 'timestamp']) {
      expect(properties[member], `${name} ${member}`).toMatchObject({
        type: 'number',
        format: 'double',
        maximum: 2 ** 256,
      });
    }
  }
});

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly {
    readonly name: string;
    readonly description?: string;
    readonly schema: Readonly<Record<string, unknown>>;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object; readonly example: unknown }>>;
  };
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

function listOperations(): DescribedOperation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods) as unknown as DescribedOperation[]);
}

test('requires the onboarding token for the chip routes alone', () => {
  rule('documents.openapi-generators');
  const { securitySchemes } = document.components as unknown as { readonly securitySchemes: object };
  expect(securitySchemes).toMatchObject({ onboardingToken: { type: 'http', scheme: 'bearer' } });
  const secured = listOperations().filter(({ security }) => security.length > 0);
  expect(secured.map(({ operationId, security }) => [operationId, security])).toEqual([
    ['issueChipChallenge', [{ onboardingToken: [] }]],
    ['acceptChipEvidence', [{ onboardingToken: [] }]],
  ]);
});

test('describes every parameter, bounds every number of it, and describes every response and group', () => {
  rule('documents.openapi-generators');
  const { tags } = document as unknown as {
    readonly tags: readonly { readonly name: string; readonly description: string }[];
  };
  for (const { operationId, parameters, responses, tags: groups } of listOperations()) {
    for (const { name, description, schema } of parameters) {
      expect(description?.length, `${operationId} ${name}`).toBeGreaterThan(0);
      const { type, minimum, maximum, pattern } = schema;
      expect(type === 'integer' ? [minimum, maximum] : [pattern], `${operationId} ${name}`).not.toContain(undefined);
    }
    for (const [status, { description }] of Object.entries(responses)) {
      expect(description?.length, `${operationId} ${status}`).toBeGreaterThan(0);
    }
    expect(tags.find(({ name }) => name === groups[0])?.description.length, operationId).toBeGreaterThan(0);
  }
});

test.each([
  ['cursor', Number.MAX_SAFE_INTEGER],
  ['limit', 100],
])('documents the greatest %s that the service accepts', async (name, greatest) => {
  rule('documents.openapi-generators');
  const { parameters } = listOperations().find(({ operationId }) => operationId === 'listEvents')!;
  expect(parameters.find((parameter) => parameter.name === name)!.schema['maximum']).toBe(greatest);
  const request = async (value: number | bigint) =>
    (await app.inject(`/machines/5/events?${name}=${value}`)).statusCode;
  expect([await request(greatest), await request(BigInt(greatest) + 1n)]).toEqual([503, 422]);
});

/** Headers that every page may read, and those that instruct browsers, caches and proxies. */
const READABLE =
  /^(?:Cache-Control|Content-Type|Access-Control-.+|Vary|X-Content-Type-Options|X-Accel-Buffering|Content-Security-Policy)$/;

test('exposes every documented header to pages of other origins', () => {
  rule('documents.openapi');
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const responses = [...operations, document.components].flatMap(({ responses }) => Object.values(responses));
  const open = responses.flatMap(({ headers = {} }) => (headers['Access-Control-Expose-Headers'] ? [headers] : []));
  const hidden = open.flatMap((headers) => {
    const { const: exposed } = headers['Access-Control-Expose-Headers']!.schema as { readonly const: string };
    return Object.keys(headers).filter((name) => !READABLE.test(name) && !exposed.split(', ').includes(name));
  });
  expect([open.length > 100, [...new Set(hidden)]]).toEqual([true, []]);
});

test('has an example of each request body that fits its schema', () => {
  rule('documents.openapi-generators');
  const ajv = new Ajv2020(AJV_OPTIONS);
  const bodies = listOperations().flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map((media) => ({ operationId, ...media })),
  );
  expect(bodies.map(({ operationId }) => operationId)).toEqual([
    'putMonetization',
    'issueChipChallenge',
    'acceptChipEvidence',
  ]);
  for (const { operationId, schema, example } of bodies) {
    const validate = ajv.compile(schema);
    expect([operationId, validate(example), validate.errors]).toEqual([operationId, true, null]);
  }
});

test('uses the configured words of the namespace', async () => {
  const namespace = { ...DEFAULT_NAMESPACE, did_method: 'acme.x', profile_object: 'acmeos' };
  const other = await buildApp(createStubCtx({ namespace }), { rateLimits: 'off' });
  const { body } = await other.inject('/openapi.json');
  expect(body).toContain('^did:acme\\\\.x:');
  expect(body).not.toContain(`did:${DEFAULT_NAMESPACE.did_method}:`);
  expect(body).not.toContain(`"${DEFAULT_NAMESPACE.profile_object}"`);
  await other.close();
});

describe('a service without a chain', () => {
  test.each([
    ['GET', '/mcr/did:svc:5', 503],
    ['GET', '/mcr/did%3Asvc%3A5', 503],
    ['GET', '/mcr/5', 400],
    ['GET', '/mcr/did:svc:5/explanation', 503],
    ['GET', '/machine/did:svc:0', 400],
    ['GET', '/metadata/5', 503],
    ['GET', '/metadata/did:svc:5', 422],
    ['GET', '/machines/0', 422],
    ['GET', `/machines/${'9'.repeat(5_000)}`, 422],
    ['GET', '/health', 200],
    ['HEAD', '/health', 200],
    ['GET', '/ready', 503],
    ['GET', '/openapi.json', 200],
    ['GET', '/nothing', 404],
    ['POST', '/nothing', 404],
    ['POST', '/mcr/did:svc:5', 405],
    ['GET', '/v1/verify/machines/5', 503],
    ['GET', '/v1/verify/machines/0', 400],
    ['GET', '/v1/verify/machines/5?a=b', 400],
    ['HEAD', '/v1/verify/machines/5', 405],
    ['GET', '/v1/verify/nothing', 404],
  ] as const)('returns a documented response to %s %s (%d)', async (method, url, expected) => {
    const { statusCode: status, headers, body: text } = await app.inject({ method, url });
    expect(status).toBe(expected);
    conformance.expectDocumented(method, url, { status, headers, text });
  });
});

describe('OpenapiConformance', () => {
  const plain = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'Retry-After, ETag, Link, Allow, Content-Disposition, chain-block, chain-block-age',
    'content-type': 'application/json; charset=utf-8',
  };
  const documented = { status: 200, headers: { ...plain, 'cache-control': 'no-store' } };
  const check = (change: object) => () => {
    conformance.expectDocumented('GET', '/health', { ...documented, text: '{"status":"ok"}', ...change });
  };

  test.each([
    ['an undocumented status', { status: 201 }, 'status 201 is not documented'],
    ['an undocumented header', { headers: { ...documented.headers, 'x-a': '1' } }, 'header x-a is not documented'],
    ['a missing header', { headers: plain }, 'cache-control is missing'],
    [
      'a header with another value',
      { headers: { ...documented.headers, 'cache-control': 'no-cache' } },
      'must be equal to constant',
    ],
    [
      'another type',
      { headers: { ...documented.headers, 'content-type': 'text/html' } },
      'text/html is not documented',
    ],
    [
      'a type without a charset',
      { headers: { ...documented.headers, 'content-type': 'application/json' } },
      'no charset',
    ],
    ['an undocumented member', { text: '{"status":"ok","extra":1}' }, 'must NOT have additional properties'],
    ['a missing member', { text: '{}' }, "must have required property 'status'"],
  ])('reports %s', (_name, change, problem) => {
    expect(check({})).not.toThrow();
    expect(check(change)).toThrow(problem);
  });

  test('reports an example whose members are not those of the response', () => {
    const compare = (text: string) => () => conformance.expectExampleShape('GET', '/health', { status: 200, text });
    expect(compare('{"status":"ok"}')).not.toThrow();
    expect(compare('{"status":"ok","extra":1}')).toThrow('Health: members status in the example, status, extra sent');
    expect(compare('{"status":1}')).toThrow('Health/status: string in the example, number sent');
  });

  test('compares each item of an example with the items of the response', () => {
    expect(findShapeDifferences([{ a: 1 }, { b: null }], [{ b: 2 }, { a: 0 }], '')).toEqual([]);
    expect(findShapeDifferences([{ a: 1 }], [], '')).toEqual(['/0: there is no item']);
    expect(findShapeDifferences([{ a: 1 }], [{ b: 1 }], '')).toEqual(['/0: members a in the example, b sent']);
  });
});
