/** The page for language models lists every described route and no other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { conformanceOf, type OpenapiDocument } from '../../../../testing/harness/openapi-conformance.ts';
import { createStubCtx } from '../../../../testing/fakes/stub-ctx.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import { buildApp } from '../../../app.ts';

let app: FastifyInstance;

beforeAll(async () => {
  app = await buildApp(createStubCtx({ publicUrl: 'https://ratings.example' }), { rateLimits: 'off' });
});
afterAll(() => app.close());

test('is text as documented, with 304 for its ETag', async () => {
  const { statusCode: status, headers, body: text } = await app.inject('/llms.txt');
  const document: OpenapiDocument = (await app.inject('/openapi.json')).json();
  conformanceOf(document).expectDocumented('GET', '/llms.txt', { status, headers, text });
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const again = await app.inject({ url: '/llms.txt', headers: { 'if-none-match': String(headers['etag']) } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('lists every route', async () => {
  rule('documents.llms');
  const { body } = await app.inject('/llms.txt');
  const { paths } = (await app.inject('/openapi.json')).json<OpenapiDocument>();
  const listed = [...body.matchAll(/^- `([A-Z]+) ([^`?]+)/gm)].map(([, method, path]) => `${method} ${path}`);
  const pages = ['/openapi.json', '/asyncapi.json', '/docs', '/llms.txt'];
  const routes = Object.entries(paths)
    .filter(([path]) => !pages.includes(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  expect(listed.sort()).toEqual(routes.sort());
});

test('uses the names of the deployment', async () => {
  expect((await app.inject('/llms.txt')).body).toContain('`GET https://ratings.example/mcr/did:svc:42`');
});

test('links to the pages where they are served', async () => {
  const pages = { load: () => Promise.reject(new Error('not queries for')) };
  const withPages = await buildApp(createStubCtx({ pages }), { rateLimits: 'off' });
  expect((await withPages.inject('/llms.txt')).body).toContain('(http://localhost:8000/docs)');
  expect((await app.inject('/llms.txt')).body).not.toContain('/docs)');
  await withPages.close();
});

test('is not registered with additions off', async () => {
  const plain = await buildApp(createStubCtx({ additions: 'off' }), { rateLimits: 'off' });
  expect((await plain.inject('/llms.txt')).statusCode).toBe(404);
  await plain.close();
});
