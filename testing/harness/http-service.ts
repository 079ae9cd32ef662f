/** Routes that do what routes may do wrong, behind the real conduct of the service. */
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
  const read = { surface: 'read' } as const;
  routes.get('/echo/:value', read, (exchange) => {
    sendUncached(exchange, 200, encodeJson({ value: exchange.parameter('value'), query: exchange.query }));
  });
  routes.get('/thing', read, (exchange) => sendCacheableJson(exchange, THING, BLOCK));
  routes.get('/boom', read, async () => {
    throw new TypeError('https://user:secret@node.example');
  });
  routes.get('/boom-at-once', read, () => {
    throw 'secret';
  });
  routes.get('/unreadable', read, async () => {
    throw chainUnreadable('main', 'rpc-error');
  });
  routes.get('/stuck', read, never);
  routes.get('/late', read, async (exchange) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    sendCacheableJson(exchange, THING);
  });
  routes.get('/switch/:key', { surface: 'monetization' }, (exchange) => sendUncached(exchange, 200, THING));
  routes.put('/switch/:key', { surface: 'monetization' }, (exchange) => sendUncached(exchange, 200, THING));
  routes.get('/v1/verify/record/:id', { surface: 'verify' }, (exchange) => sendUncached(exchange, 200, THING));
  routes.get('/v1/verify/stuck', { surface: 'verify' }, never);
};

export interface HttpScene {
  readonly ctx: StubCtx;
  readonly app: FastifyInstance;
}

export async function createHttpScene(options: AppOptions = {}): Promise<HttpScene> {
  const ctx = createStubCtx();
  const app = await buildApp(ctx, { limiterMemoryBytes: 1_000_000, extraRoutes: [testRoutes], ...options });
  return { ctx, app };
}
