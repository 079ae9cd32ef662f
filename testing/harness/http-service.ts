/** Service with test routes that fail in every way a route can, behind the real request pipeline. */
import type { FastifyInstance } from 'fastify';
import { buildApp, type AppOptions, type RouteGroup } from '../../src/app.ts';
import { chainUnreadable } from '../../src/domain/faults.ts';
import { sendUncached, sendCacheableJson } from '../../src/http/server/response.ts';
import { encodeJson } from '../../src/http/server/json-encoding.ts';
import { createStubCtx, type StubCtx } from '../fakes/stub-ctx.ts';

export const THING = encodeJson({ some: 'thing' });
const BLOCK = { number: 120_340, hash: '0x', timestamp: 1_788_899_990 };

const never = () => new Promise<void>(() => undefined);

const testRoutes: RouteGroup = (routes) => {
  const read = { profile: 'read' } as const;
  routes.get('/echo/:value', read, (request) => {
    sendUncached(request, 200, encodeJson({ value: request.parameter('value'), query: request.query }));
  });
  routes.get('/thing', read, (request) => sendCacheableJson(request, THING, BLOCK));
  routes.get('/boom', read, async () => {
    throw new TypeError('https://user:secret@node.example');
  });
  routes.get('/boom-at-once', read, () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the service must also handle what is not an Error.
    throw 'secret';
  });
  routes.get('/unreadable', read, async () => {
    throw chainUnreadable('main', 'rpc-error');
  });
  routes.get('/stuck', read, never);
  routes.get('/late', read, async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    sendCacheableJson(request, THING);
  });
  routes.get('/switch/:key', { profile: 'monetization' }, (request) => sendUncached(request, 200, THING));
  routes.put('/switch/:key', { profile: 'monetization' }, (request) => sendUncached(request, 200, THING));
  routes.get('/v1/verify/record/:id', { profile: 'verify' }, (request) => sendUncached(request, 200, THING));
  routes.get('/v1/verify/stuck', { profile: 'verify' }, never);
};

export interface HttpService {
  readonly ctx: StubCtx;
  readonly app: FastifyInstance;
}

export async function createHttpService(options: AppOptions = {}): Promise<HttpService> {
  const ctx = createStubCtx();
  const app = await buildApp(ctx, { limiterMemoryBytes: 1_000_000, extraRoutes: [testRoutes], ...options });
  return { ctx, app };
}
