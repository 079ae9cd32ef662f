import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpService } from '../../../testing/harness/http-service.ts';
import type { StubCtx } from '../../../testing/fakes/stub-ctx.ts';
import type { AppOptions } from '../../app.ts';
import { rule } from '../../../test/conformance/rule.ts';

let ctx: StubCtx;
let app: FastifyInstance;

async function build(options: AppOptions = {}): Promise<void> {
  ({ ctx, app } = await createHttpService(options));
}

beforeEach(() => build());
afterEach(() => app.close());

describe('failures', () => {
  test('returns 500 with a fixed text for an unexpected error and discloses no message', async () => {
    for (const url of ['/boom', '/boom-at-once']) {
      const { statusCode, body } = await app.inject(url);
      expect([statusCode, body]).toEqual([500, '{"detail":"Internal Server Error"}']);
    }
    expect(JSON.stringify(ctx.lines)).not.toContain('secret');
    expect(ctx.lines.filter(({ level }) => level === 'error')).toEqual([
      { level: 'error', fields: { route: '/boom', class: 'TypeError' }, message: 'unexpected error' },
      { level: 'error', fields: { route: '/boom-at-once', class: 'string' }, message: 'unexpected error' },
    ]);
  });

  test('returns 503 after the deadline and ignores the late response', async () => {
    await app.close();
    await build({ deadlineMilliseconds: { general: 150, verify: 50 } });
    const [stuck, late, verify] = await Promise.all(
      ['/stuck', '/late', '/v1/verify/stuck'].map((url) => app.inject(url)),
    );
    expect([stuck!.statusCode, stuck!.body]).toEqual([503, '{"detail":"Chain unavailable"}']);
    expect([late!.statusCode, stuck!.headers['retry-after']]).toEqual([503, '30']);
    expect([verify!.statusCode, verify!.json().detail.code]).toEqual([503, 'VERIFY_READ_UNAVAILABLE']);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(ctx.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(ctx.lines.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ route: '/late', status: 503, fault: 'ChainUnreadable', cause: 'deadline' }),
    );
  });
});

describe('rate limits', () => {
  test('counts the hosts of one IPv6 /64 together by default, and other networks separately', async () => {
    const from = async (remoteAddress: string) => (await app.inject({ url: '/echo/1', remoteAddress })).statusCode;
    for (let host = 1; host <= 90; host++) expect(await from(`2001:db8:0:1::${host.toString(16)}`)).toBe(200);
    expect([await from('2001:db8:0:1:ffff::1'), await from('2001:db8:0:2::1')]).toEqual([429, 200]);
  });

  const times = async (count: number, url: string, options: Partial<InjectOptions> = {}) => {
    const statuses: number[] = [];
    for (let i = 0; i < count; i++) statuses.push((await app.inject({ url, ...options })).statusCode);
    return statuses.filter((status) => status !== 429).length;
  };

  test('refuses the 91st request of a path until the window ends, in every spelling and method', async () => {
    rule('limits.reads');
    expect(await times(30, '/echo/did:svc:42')).toBe(30);
    expect(await times(30, '/echo/did%3Asvc%3a42?x')).toBe(30);
    expect(await times(15, '/echo/did:svc:42', { method: 'HEAD' })).toBe(15);
    expect(await times(15, '/echo/did:svc:42', { method: 'OPTIONS' })).toBe(15);
    ctx.time.milliseconds += 20_500;
    const refused = await app.inject('/echo/did:svc:42');
    expect([refused.statusCode, refused.body, refused.headers['retry-after']]).toEqual([
      429,
      '{"error":"Rate limit exceeded: 90 per 1 minute"}',
      '40',
    ]);
    expect(await times(1, '/echo/did:svc:43')).toBe(1);
    ctx.time.milliseconds += 39_500;
    expect(await times(1, '/echo/did:svc:42')).toBe(1);
  });

  test('counts all unknown paths as one key', async () => {
    for (let i = 0; i < 90; i++) await app.inject(`/nothing/${i}`);
    expect((await app.inject('/nothing/at-all')).statusCode).toBe(429);
    expect((await app.inject('/health')).statusCode).toBe(200);
  });

  test('counts health checks and leaves Verify to its own limiter', async () => {
    expect(await times(95, '/health')).toBe(90);
    expect(await times(95, '/v1/verify/record/5')).toBe(95);
    expect(await times(95, '/v1/verify/nothing')).toBe(95);
  });

  test('counts addresses separately, behind a trusted proxy by the forwarded one', async () => {
    rule('limits.addresses-count-separately');
    expect(await times(95, '/thing', { remoteAddress: '192.0.2.1' })).toBe(90);
    expect(await times(95, '/thing', { remoteAddress: '192.0.2.2' })).toBe(90);
    await app.close();
    await build({ trustedProxies: ['10.0.0.0/8'] });
    const via = (caller: string) => ({
      remoteAddress: '10.1.1.1',
      headers: { 'x-forwarded-for': `6.6.6.6, ${caller}` },
    });
    expect(await times(95, '/thing', via('192.0.2.1'))).toBe(90);
    expect(await times(95, '/thing', via('192.0.2.2'))).toBe(90);
  });

  test('can be switched off', async () => {
    await app.close();
    await build({ rateLimits: 'off' });
    expect(await times(95, '/health')).toBe(95);
  });
});

describe('the request log', () => {
  test('writes one line per request with the route, never the path', async () => {
    await app.inject({ url: '/echo/secret?token=secret', headers: { authorization: 'Bearer secret' } });
    await app.inject('/unreadable');
    await app.inject('/secret');
    expect(ctx.lines).toEqual([
      {
        level: 'info',
        fields: { method: 'GET', route: '/echo/:value', status: 200, milliseconds: 0 },
        message: 'request',
      },
      {
        level: 'info',
        fields: {
          method: 'GET',
          route: '/unreadable',
          status: 503,
          milliseconds: 0,
          fault: 'ChainUnreadable',
          cause: 'rpc-error',
        },
        message: 'request',
      },
      {
        level: 'info',
        fields: { method: 'GET', route: 'unknown', status: 404, milliseconds: 0, fault: 'RouteUnknown' },
        message: 'request',
      },
    ]);
  });

  test('can be switched off', async () => {
    await app.close();
    await build({ logsRequests: false });
    await app.inject('/thing');
    expect(ctx.lines).toEqual([]);
  });
});
