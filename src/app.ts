/**
 * Which application answers the port? Builds it from the ports in `Ctx`; opens nothing by itself, so that tests can inject
 * requests and `main.ts` can listen.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { createConnectingAddress } from './http/connecting-address.ts';
import { installConduct } from './http/conduct.ts';
import { Deadlines } from './http/deadlines.ts';
import { installOpenapi } from './http/openapi.ts';
import { normaliseTarget } from './http/request-target.ts';
import { probesRoutes } from './http/routes/probes.ts';
import type { Ctx } from './ports/ctx.ts';

export type RouteGroup = (app: FastifyInstance, ctx: Ctx) => void;

export interface AppOptions {
  readonly rateLimits?: 'on' | 'off';
  readonly trustedProxies?: readonly string[];
  readonly rateLimitIpv6Prefix?: number;
  readonly limiterMemoryBytes?: number;
  /** Milliseconds after which an answer is given up. */
  readonly deadlines?: { readonly general?: number; readonly verify?: number };
  readonly logsRequests?: boolean;
  /** Registered after the service's own, for tests. */
  readonly extraRoutes?: readonly RouteGroup[];
}

/** Every route of the service. */
export const ROUTE_GROUPS: readonly RouteGroup[] = [probesRoutes];

/** Clients are promised an answer within 10 s; the rest is for the network. */
const GENERAL_DEADLINE_MILLISECONDS = 9_000;
const VERIFY_DEADLINE_MILLISECONDS = 3_500;

export async function buildApp(ctx: Ctx, options: AppOptions = {}): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: () => '',
    rewriteUrl: (request) => normaliseTarget(request.url ?? '/'),
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: (query) => query as never },
  });
  const deadlines = {
    general: new Deadlines(options.deadlines?.general ?? GENERAL_DEADLINE_MILLISECONDS),
    verify: new Deadlines(options.deadlines?.verify ?? VERIFY_DEADLINE_MILLISECONDS),
  };
  await installOpenapi(app);
  const { completePaths } = installConduct(app, {
    clock: ctx.clock,
    log: ctx.log,
    logsRequests: options.logsRequests ?? true,
    deadlines,
    rateLimiter: undefined,
    connectingAddress: createConnectingAddress({
      trustedProxies: options.trustedProxies ?? [],
      ipv6Prefix: options.rateLimitIpv6Prefix ?? 128,
    }),
  });
  for (const group of [...ROUTE_GROUPS, ...(options.extraRoutes ?? [])]) group(app, ctx);
  completePaths();
  app.addHook('onClose', () => Object.values(deadlines).forEach((list) => list.close()));
  return app;
}
