/** Routes that write: exactly three, each behind a signature or a token. Every other method of every route is refused. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import type { OpenapiDocument } from '../testing/harness/openapi-conformance.ts';
import { createStubCtx } from '../testing/fakes/stub-ctx.ts';
import { rule } from './conformance/rule.ts';

const WRITING = ['DELETE', 'PATCH', 'POST', 'PUT'] as const;

let app: FastifyInstance;
let paths: OpenapiDocument['paths'];
beforeAll(async () => {
  app = await buildApp(createStubCtx(), { rateLimits: 'off' });
  ({ paths } = (await app.inject('/openapi.json')).json<OpenapiDocument>());
});
afterAll(() => app.close());

it('lists exactly three routes that write', () => {
  rule('security.writing-routes');
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

it('returns 405 with the allowed methods for any other method', async () => {
  rule('security.writing-routes');
  const responses: string[] = [];
  const expected: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    const has = Object.keys(operations).map((method) => method.toUpperCase());
    const target = path.replaceAll(/\{\w+\}/g, '1');
    for (const method of WRITING.filter((each) => !has.includes(each))) {
      const { statusCode, headers } = await app.inject({ method, url: target });
      responses.push(`${method} ${path} ${statusCode} ${String(headers['allow']).includes(has[0]!)}`);
      expected.push(`${method} ${path} 405 true`);
    }
  }
  expect(expected.length).toBeGreaterThan(50);
  expect(responses).toEqual(expected);
});

describe('an administration path', () => {
  it.each(['/metrics', '/admin', '/debug', '/debug/pprof', '/config', '/.env', '/actuator', '/server-status'])(
    'does not exist: %s returns 404',
    async (path) => {
      rule('security.no-administration');
      const { statusCode, body } = await app.inject(path);
      expect([statusCode, body]).toEqual([404, '{"detail":"Not Found"}']);
    },
  );
});
