/** Who can change anything over HTTP? Three routes, each behind a signature or a token; every other method of every route is refused. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import type { OpenapiDocument } from '../testing/harness/openapi-conformance.ts';
import { createStubCtx } from '../testing/fakes/stub-ctx.ts';

const WRITING = ['DELETE', 'PATCH', 'POST', 'PUT'] as const;

let app: FastifyInstance;
let paths: OpenapiDocument['paths'];
beforeAll(async () => {
  app = await buildApp(createStubCtx(), { rateLimits: 'off' });
  ({ paths } = (await app.inject('/openapi.json')).json<OpenapiDocument>());
});
afterAll(() => app.close());

it('no route writes but three', () => {
  const writing = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => method !== 'get')
      .map((method) => `${method} ${path}`),
  );
  expect(writing.sort()).toEqual([
    'post /v1/verify/chip/challenge',
    'post /v1/verify/chip/evidence',
    'put /machine/{key}/monetization',
  ]);
});

it('a method that a route does not have is 405, and names those that it has', async () => {
  const answers: string[] = [];
  const expected: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    const has = Object.keys(operations).map((method) => method.toUpperCase());
    const target = path.replaceAll(/\{\w+\}/g, '1');
    for (const method of WRITING.filter((each) => !has.includes(each))) {
      const { statusCode, headers } = await app.inject({ method, url: target });
      answers.push(`${method} ${path} ${statusCode} ${String(headers['allow']).includes(has[0]!)}`);
      expected.push(`${method} ${path} 405 true`);
    }
  }
  expect(expected.length).toBeGreaterThan(50);
  expect(answers).toEqual(expected);
});

describe('what is for operators', () => {
  it.each(['/metrics', '/admin', '/debug', '/debug/pprof', '/config', '/.env', '/actuator', '/server-status'])(
    '%s is not there',
    async (path) => {
      const { statusCode, body } = await app.inject(path);
      expect([statusCode, body]).toEqual([404, '{"detail":"Not Found"}']);
    },
  );
});
