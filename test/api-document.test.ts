/** The reference reads the OpenAPI document as the service writes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../src/app.ts';
import { createStubCtx } from '../testing/fakes/stub-ctx.ts';
import {
  fillPath,
  formatCurl,
  listGroups,
  nameType,
  resolve,
  sampleOf,
  type ApiDocument,
  type Operation,
  type Schema,
} from '../explorer/reference/api-document.ts';

let app: FastifyInstance;
let document: ApiDocument;
beforeAll(async () => {
  app = await buildApp(createStubCtx(), { rateLimits: 'off' });
  document = (await app.inject('/openapi.json')).json();
});
afterAll(() => app.close());

function find(id: string): Operation {
  return listGroups(document)
    .flatMap(([, operations]) => operations)
    .find((operation) => operation.id === id)!;
}

it('lists every operation once, in groups', () => {
  const groups = listGroups(document);
  expect(groups.map(([group]) => group)).toEqual([
    'Machines',
    'Operators',
    'Bound wallets',
    'Monetization',
    'Verification',
    'Operation',
    'Statements',
    'Directory',
    'Documents',
  ]);
  const listed = groups.flatMap(([, operations]) => operations.map(({ method, path }) => `${method} ${path}`));
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.toSorted()).toEqual(described.toSorted());
});

it('puts the monetization routes in one group', () => {
  const groups = Object.fromEntries(listGroups(document));
  expect(groups['Monetization']!.map(({ id }) => id)).toEqual([
    'getMonetizationDeployment',
    'getMonetization',
    'putMonetization',
    'listDecisions',
  ]);
});

/** Errors of these have an image in place of a text. */
const IMAGES = ['getCardImage', 'getPreviewImage', 'getBadge'];

it('gives every error its text, cause and remedy', () => {
  for (const [, operations] of listGroups(document)) {
    for (const { id, errors } of operations) {
      expect(errors.length, id).toBeGreaterThan(0);
      for (const { status, help, texts } of errors) {
        expect(help.length, `${id} ${status}`).toBeGreaterThan(0);
        const isImage = IMAGES.includes(id) && (status === 429 || status >= 500);
        if (status !== 422 && !isImage) expect(texts.length, `${id} ${status}`).toBeGreaterThan(0);
      }
    }
  }
});

it('lists the texts and codes that distinguish errors', () => {
  expect(find('getRating').errors.map(({ status, texts }) => [status, texts])).toEqual([
    [400, ['Invalid machine DID format', 'Bad Request']],
    [404, ['Machine not found']],
    [408, ['Request Timeout']],
    [409, ['MACHINE_HOMED_ELSEWHERE']],
    [413, ['Content Too Large']],
    [429, ['Rate limit exceeded: 90 per 1 minute']],
    [431, ['Request Header Fields Too Large']],
    [500, ['Internal Server Error']],
    [
      503,
      [
        'Event index is syncing: block N of N',
        'Service clock is not usable now',
        'Machine is relocating',
        'Service not initialised',
        'Storage unavailable',
        'Chain unavailable',
        'Home chain unavailable',
        'Too many new lookups, retry later',
      ],
    ],
  ]);
});

it('lists a code once, regardless of its number of messages', () => {
  expect(find('putMonetization').errors[0]!.texts).toEqual(['INVALID_REQUEST']);
});

it.each([
  ['getRating', false],
  ['putMonetization', false],
  ['issueChipChallenge', true],
  ['acceptChipEvidence', true],
])('reports whether %s needs a token: %s', (id, needsToken) => {
  expect(find(id).needsToken).toBe(needsToken);
});

describe('fillPath', () => {
  it('keeps colons, encodes other characters and omits empty query values', () => {
    expect(fillPath(find('getRating'), { did: 'did:svc:42' })).toBe('/mcr/did:svc:42');
    expect(fillPath(find('getRating'), { did: 'a/b?c#$&"' })).toBe('/mcr/a%2Fb%3Fc%23%24%26%22');
    expect(fillPath(find('listEvents'), { machine_id: '42', cursor: '', limit: '5' })).toBe(
      '/machines/42/events?limit=5',
    );
  });

  it('returns undefined while a value is missing', () => {
    expect(fillPath(find('getRating'), { did: '' })).toBeUndefined();
  });
});

describe('resolve', () => {
  it('adds null to the types of a schema that may be null', () => {
    const of = (anyOf: readonly Schema[]) => resolve(document, { anyOf, description: 'd' });
    const none = { type: 'null' };
    expect(of([{ type: 'integer', minimum: 1, description: 'e' }, none])).toEqual({
      ...{ type: ['integer', 'null'], minimum: 1, description: 'd' },
    });
    expect(of([{ type: 'string', enum: ['a'] }, none])).toMatchObject({ enum: ['a', null] });
    expect(of([{ $ref: '#/components/schemas/FleetIndex' }, none])).toMatchObject({
      ...{ type: ['object', 'null'], properties: expect.any(Object) },
    });
  });
});

describe('sampleOf', () => {
  const candidates = ['did:svc:42', '42'];

  it('returns a value that fits the schema', () => {
    expect(sampleOf(document, find('getRating').parameters[0]!.schema, candidates)).toBe('did:svc:42');
    expect(sampleOf(document, find('getCard').parameters[0]!.schema, candidates)).toBe('42');
    expect(sampleOf(document, find('issueChipChallenge').body!, candidates)).toEqual({ machineId: '42' });
    expect(sampleOf(document, find('putMonetization').body!, candidates)).toEqual({
      opted_in: true,
      timestamp: 1,
      signature: '…',
    });
  });

  it('returns a sample of every response', () => {
    for (const schema of Object.values(document.components.schemas)) {
      expect(JSON.stringify(sampleOf(document, schema, candidates))).toBeTypeOf('string');
    }
  });
});

it.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['integer', 'null'] }, 'integer or null'],
  [{ type: 'integer', minimum: 0, maximum: 100 }, 'integer, 0 to 100'],
  [{ type: 'integer', minimum: 1 }, 'integer, at least 1'],
  [{ type: 'string', enum: ['a', null] }, '"a" or null'],
  [{ const: 'a' }, '"a"'],
  [{ type: 'array', items: { type: 'string' } }, 'array of string'],
  [{ type: 'array', items: { oneOf: [] } }, 'array of one of the following'],
  [{}, 'any value'],
])('names the type of %j %s', (schema, name) => {
  expect(nameType(schema)).toBe(name);
});

it.each([
  [{ method: 'GET', url: 'http://x/mcr/did:svc:42' }, "curl -s 'http://x/mcr/did:svc:42'"],
  [
    { method: 'PUT', url: 'http://x/a', body: `{"a":"it's"}` },
    `curl -s -X PUT -H 'Content-Type: application/json' --data-binary '{"a":"it'\\''s"}' 'http://x/a'`,
  ],
  [
    { method: 'POST', url: 'http://x/a', hasToken: true },
    `curl -s -X POST -H "Authorization: Bearer $SVC_ONBOARDING_TOKEN" 'http://x/a'`,
  ],
])('formats %j as a command', (trial, command) => {
  expect(formatCurl(trial)).toBe(command);
});
