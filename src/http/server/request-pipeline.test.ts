import type { AddressInfo } from 'node:net';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpService, THING } from '../../../testing/harness/http-service.ts';
import { sendRaw } from '../../../testing/harness/raw-http.ts';
import type { StubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { buildApp, type RouteGroup } from '../../app.ts';
import { rule } from '../../../test/conformance/rule.ts';

let ctx: StubCtx;
let app: FastifyInstance;

beforeEach(async () => {
  ({ ctx, app } = await createHttpService());
});
afterEach(() => app.close());

/** Returns status, headers of interest and body of a response as one line. */
async function send(method: InjectOptions['method'], url: string, headers: Record<string, string> = {}) {
  const { statusCode, body } = await app.inject({ method: method!, url, headers });
  return `${statusCode} ${body}`;
}

const NOT_FOUND = '404 {"detail":"Not Found"}';
const NOT_ALLOWED = '405 {"detail":"Method Not Allowed"}';

describe('paths', () => {
  test.each([
    '/nothing',
    '/thing/',
    '//thing',
    '/THING',
    '/echo/',
    '/echo',
    '/echo/a/',
    '/echo/a/b',
    '/a%2F../thing',
    '/%',
    '/%FF',
    '/thing%',
    '/.',
    '/..',
    '/v1/verify',
  ])('returns 404 for %s', async (url) => {
    expect(await send('GET', url)).toBe(NOT_FOUND);
  });

  test.each(['/v1/verify/', '/v1/verify/nothing', '/v1/%76erify/nothing', '/v1/verify/record/', '/v1/verify/%FF'])(
    'returns a coded 404 for %s',
    async (url) => {
      rule('verify-read.no-redirect', 'challenge-errors.unknown-route', 'versioning.verify-prefix');
      const { statusCode, headers, body } = await app.inject(url);
      expect([statusCode, JSON.parse(body).detail.code]).toEqual([404, 'VERIFY_ROUTE_NOT_FOUND']);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('decodes a segment once, or uses it literally', async () => {
    const values = [
      'a:b',
      'a%3Ab',
      '%61',
      '%2561',
      '%FF',
      '%',
      'a%2Fb',
      '%F0%9F%98%80',
      '+',
      '9007199254740993',
      'a;b=c',
    ];
    const responses = await Promise.all(values.map(async (value) => (await app.inject(`/echo/${value}`)).json().value));
    expect(responses).toEqual(['a:b', 'a:b', 'a', '%61', '%FF', '%', 'a/b', '😀', '+', '9007199254740993', 'a;b=c']);
  });

  test('leaves the query out of the path and unchanged', async () => {
    expect(await send('GET', '/echo/a?x=%FF&y=/b?c')).toBe('200 {"value":"a","query":"x=%FF&y=/b?c"}');
    expect(await send('GET', '/thing?')).toBe(`200 ${THING.text}`);
  });

  test('passes a parameter of five thousand characters to its route', async () => {
    const value = '9'.repeat(5_000);
    expect((await app.inject(`/echo/${value}`)).json().value).toBe(value);
  });
});

describe('methods', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS', 'PROPFIND', 'QUERY'] as const)(
    'returns 405, not 404, for %s on a path that is only read',
    async (method) => {
      const { statusCode, headers, body } = await app.inject({ method: method as 'POST', url: '/echo/a' });
      expect([`${statusCode} ${body}`, headers.allow]).toEqual([NOT_ALLOWED, 'GET, HEAD']);
    },
  );

  test('lists the methods of the path in Allow', async () => {
    expect((await app.inject({ method: 'DELETE', url: '/switch/5' })).headers.allow).toBe('GET, PUT, HEAD');
  });

  test('returns 404 for any method on an unknown path', async () => {
    expect(await send('POST', '/nothing')).toBe(NOT_FOUND);
    expect(await send('POST', '/echo/')).toBe(NOT_FOUND);
  });

  test.each(['POST', 'HEAD', 'OPTIONS'] as const)('returns a coded 405 for %s under /v1/verify/', async (method) => {
    rule('challenge-errors.method');
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const { statusCode, headers, body } = await app.inject({ method, url: '/v1/verify/record/5', headers: preflight });
    expect([statusCode, headers.allow, headers.pragma]).toEqual([405, 'GET', 'no-cache']);
    if (method !== 'HEAD') expect(JSON.parse(body).detail.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('responds to HEAD as to GET, without a body', async () => {
    const get = await app.inject('/thing');
    const head = await app.inject({ method: 'HEAD', url: '/thing' });
    expect([head.statusCode, head.headers, head.body]).toEqual([200, get.headers, '']);
    const missing = await app.inject({ method: 'HEAD', url: '/nothing' });
    expect([missing.statusCode, missing.body]).toEqual([404, '']);
  });
});

describe('pages of other origins', () => {
  test('may read without credentials', async () => {
    for (const url of ['/thing', '/nothing', '/boom', '/switch/5']) {
      const { headers } = await app.inject(url);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringMatching(/^Retry-After, ETag, /),
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('may not read Verify', async () => {
    expect((await app.inject('/v1/verify/record/5')).headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('receive 204 for a preflight and 405 for any other OPTIONS', async () => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'PUT' };
    const preflight = await app.inject({ method: 'OPTIONS', url: '/switch/5', headers });
    expect([preflight.statusCode, preflight.body]).toEqual([204, '']);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, PUT, HEAD',
      'access-control-allow-headers': expect.stringMatching(/^Content-Type, If-None-Match, Last-Event-ID, /),
    });
    expect(await send('OPTIONS', '/switch/5', { origin: 'https://a.example' })).toBe(NOT_ALLOWED);
    expect(await send('OPTIONS', '/nothing', headers)).toBe(NOT_FOUND);
  });
});

describe('caches', () => {
  test('receive ETag, block and no-cache with a read', async () => {
    const { headers } = await app.inject('/thing');
    expect(headers).toMatchObject({
      etag: THING.etag,
      'cache-control': 'no-cache',
      'chain-block': '120340',
      'chain-block-age': '10',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(THING.byteLength),
    });
  });

  test('receive 304 without a body for the current ETag', async () => {
    const { statusCode, headers, body } = await app.inject({ url: '/thing', headers: { 'if-none-match': THING.etag } });
    expect([statusCode, body, headers.etag, headers['chain-block']]).toEqual([304, '', THING.etag, '120340']);
    expect(headers).not.toHaveProperty('content-type');
  });

  test('receive age 0 for a block of the future', async () => {
    ctx.time.milliseconds = 0;
    expect((await app.inject('/thing')).headers['chain-block-age']).toBe('0');
  });

  test('receive no-store with every error', async () => {
    for (const url of ['/nothing', '/boom', '/unreadable']) {
      expect((await app.inject(url)).headers['cache-control']).toBe('no-store');
    }
  });
});

test('returns the same response for inject() and a real socket', async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const targets = [
    '/echo/did:svc:42',
    '/echo/did%3Asvc%3A42',
    '/echo/a?b',
    '/echo/',
    '/echo/%FF',
    '/thing',
    '/nothing',
  ];
  for (const target of targets) {
    const injected = await app.inject({ url: target, headers: { host: 'a' } });
    const { responses } = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(responses[0]).toMatchObject({ status: injected.statusCode, text: injected.body });
    const stable = Object.entries(injected.headers).filter(([name]) => name !== 'date' && name !== 'connection');
    expect(responses[0]!.headers).toMatchObject(Object.fromEntries(stable));
  }
});

test('throws when a path is registered with two profiles', async () => {
  const twice: RouteGroup = (routes) => {
    routes.get('/twice', { profile: 'read' }, () => undefined);
    routes.put('/twice', { profile: 'monetization' }, () => undefined);
  };
  await expect(buildApp(ctx, { extraRoutes: [twice] })).rejects.toThrow('two profiles');
});
