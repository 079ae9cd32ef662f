/** Does the reference read the document as the service writes it? */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../src/app.ts';
import { createStubCtx } from '../testing/fakes/stub-ctx.ts';
import {
  fillPath,
  formatCurl,
  listGroups,
  nameType,
  sampleOf,
  type ApiDocument,
  type Operation,
} from '../explorer/api-document.ts';

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
    'Documents',
  ]);
  const listed = groups.flatMap(([, operations]) => operations.map(({ method, path }) => `${method} ${path}`));
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.toSorted()).toEqual(described.toSorted());
});

it('groups what belongs together', () => {
  const groups = Object.fromEntries(listGroups(document));
  expect(groups['Monetization']!.map(({ id }) => id)).toEqual([
    'getMonetizationDeployment',
    'getMonetization',
    'putMonetization',
  ]);
});

it('every error has its text, its cause and what to do', () => {
  for (const [, operations] of listGroups(document)) {
    for (const { id, errors } of operations) {
      expect(errors.length, id).toBeGreaterThan(0);
      for (const { status, words, texts } of errors) {
        expect(words.length, `${id} ${status}`).toBeGreaterThan(0);
        if (status !== 422) expect(texts.length, `${id} ${status}`).toBeGreaterThan(0);
      }
    }
  }
});

it('tells what tells errors apart', () => {
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
        'Machine is relocating',
        'Service not initialised',
        'Storage unavailable',
        'Chain unavailable',
        'Home chain unavailable',
      ],
    ],
  ]);
});

it('tells a code once, however many messages it has', () => {
  expect(find('putMonetization').errors[0]!.texts).toEqual(['INVALID_REQUEST']);
});

it.each([
  ['getRating', false],
  ['putMonetization', false],
  ['issueChipChallenge', true],
  ['acceptChipEvidence', true],
])('%s needs a token: %s', (id, needsToken) => {
  expect(find(id).needsToken).toBe(needsToken);
});

describe('a path', () => {
  it('keeps colons, encodes the rest, and leaves empty values of the query out', () => {
    expect(fillPath(find('getRating'), { did: 'did:svc:42' })).toBe('/mcr/did:svc:42');
    expect(fillPath(find('getRating'), { did: 'a/b?c#$&"' })).toBe('/mcr/a%2Fb%3Fc%23%24%26%22');
    expect(fillPath(find('listEvents'), { machine_id: '42', cursor: '', limit: '5' })).toBe(
      '/machines/42/events?limit=5',
    );
  });

  it('is not there while a value is missing', () => {
    expect(fillPath(find('getRating'), { did: '' })).toBeUndefined();
  });
});

describe('a sample', () => {
  const candidates = ['did:svc:42', '42'];

  it('has the form that is asked for', () => {
    expect(sampleOf(document, find('getRating').parameters[0]!.schema, candidates)).toBe('did:svc:42');
    expect(sampleOf(document, find('getCard').parameters[0]!.schema, candidates)).toBe('42');
    expect(sampleOf(document, find('issueChipChallenge').body!, candidates)).toEqual({ machineId: '42' });
    expect(sampleOf(document, find('putMonetization').body!, candidates)).toEqual({
      opted_in: true,
      timestamp: 1,
      signature: '…',
    });
  });

  it('of every answer can be made', () => {
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
  [{ type: 'array', items: { type: 'string' } }, 'array, each string'],
  [{ type: 'array', items: { oneOf: [] } }, 'array, each one of these'],
  [{}, 'anything'],
])('%j is called %s', (schema, name) => {
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
])('%j is a command', (trial, command) => {
  expect(formatCurl(trial)).toBe(command);
});
