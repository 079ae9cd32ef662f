/**
 * Which application answers the port? Builds it from the ports in `Ctx`; opens nothing by itself, so that tests can inject
 * requests and `main.ts` can listen.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { RequestPipeline } from './http/server/request-pipeline.ts';
import { createClientIp } from './http/server/client-ip.ts';
import { RequestMetrics } from './http/server/request-metrics.ts';
import { normalizePath } from './http/server/request-path.ts';
import { RouteTable, type Routes } from './http/server/route-table.ts';
import { activeMachinesRoutes } from './http/routes/active-machines.ts';
import { boundAddressesRoutes } from './http/routes/bound-addresses.ts';
import { fleetRoutes } from './http/routes/fleet.ts';
import { documentRoutes } from './http/routes/document.ts';
import { llmsTextRoutes } from './http/routes/llms-text.ts';
import { machineHistoryRoutes } from './http/routes/machine-history.ts';
import { machinesRoutes } from './http/routes/machines.ts';
import { pagesRoutes } from './http/routes/pages.ts';
import { monetizationRoutes } from './http/routes/monetization.ts';
import { healthRoutes } from './http/routes/health.ts';
import { ratingImagesRoutes } from './http/routes/rating-images.ts';
import { chipRoutes } from './http/routes/chip.ts';
import { statusRoutes } from './http/routes/status.ts';
import { verifyRecordRoutes } from './http/routes/verify-record.ts';
import { RateLimiter } from './http/limits/rate-limiter.ts';
import { DistributedRateLimiter, type Limiter } from './http/limits/distributed-rate-limiter.ts';
import type { DeadlineClass } from './http/server/route-profiles.ts';
import {
  answerUnreadable,
  closeWhenIdle,
  createHttpServer,
  takeWaiting,
  traceEach,
  type TraceRequest,
} from './http/server/http-server.ts';
import type { Ctx } from './ports/ctx.ts';
import type { DistributedCounters } from './ports/runtime.ts';

export type RouteGroup = (routes: Routes, ctx: Ctx) => void;

export interface AppOptions {
  readonly rateLimits?: 'on' | 'off';
  readonly trustedProxies?: readonly string[];
  readonly rateLimitIpv6Prefix?: number;
  readonly limiterMemoryBytes?: number;
  /** Left out: this process counts alone. */
  readonly sharedCounts?: DistributedCounters | undefined;
  /** After which an answer is given up. */
  readonly deadlineMilliseconds?: Partial<Readonly<Record<DeadlineClass, number>>>;
  /** Within which a request must have arrived whole. */
  readonly arrivalMilliseconds?: number;
  readonly logsRequests?: boolean;
  /** Left out: requests are not traced. */
  readonly traceRequest?: TraceRequest | undefined;
  /** Counts what is answered. */
  readonly tally?: RequestMetrics;
  /** Nothing but the probes is served (`INDEXER=only`). */
  readonly isProbesOnly?: boolean;
  /** Registered after the service's own, for tests. */
  readonly extraRoutes?: readonly RouteGroup[];
}

/** Every route of the service. */
export const ROUTE_GROUPS: readonly RouteGroup[] = [
  machinesRoutes,
  machineHistoryRoutes,
  ratingImagesRoutes,
  fleetRoutes,
  activeMachinesRoutes,
  boundAddressesRoutes,
  monetizationRoutes,
  verifyRecordRoutes,
  chipRoutes,
  healthRoutes,
  statusRoutes,
  documentRoutes,
  llmsTextRoutes,
  pagesRoutes,
];

/** Clients are promised an answer within 10 s, and readers of Verify wait 5 s; the rest is for the network (evidence 13). */
const DEADLINE_MILLISECONDS: Readonly<Record<DeadlineClass, number>> = {
  general: 9_000,
  verify: 3_500,
  'chip-challenge': 5_000,
  'chip-evidence': 8_000,
};
const WHOLE_IPV6 = 128;
const LIMITER_MEMORY_BYTES = 64 * 1024 * 1024;
/** A route that counts addresses, and not each path of each, needs so much less. */
const ROUTE_LIMITER_SHARE = 1 / 8;

export async function buildApp(ctx: Ctx, options: AppOptions = {}): Promise<FastifyInstance> {
  const { tally = new RequestMetrics() } = options;
  const createLimiter = (name: string, limit?: number, share?: number) => {
    if (options.rateLimits === 'off') return undefined;
    const limiter = createRateLimiter(options, name, limit, share);
    tally.addLimiter(name, () => limiter.report());
    return limiter;
  };
  const conduct = new RequestPipeline({
    surroundings: { clock: ctx.clock, log: ctx.log, logsRequests: options.logsRequests ?? true, tally },
    deadlineMilliseconds: { ...DEADLINE_MILLISECONDS, ...options.deadlineMilliseconds },
    rateLimiter: createLimiter('general'),
    createRouteLimiter: (limit, name) => createLimiter(name, limit, ROUTE_LIMITER_SHARE),
    connectingAddress: createClientIp({
      trustedProxies: options.trustedProxies ?? [],
      ipv6Prefix: options.rateLimitIpv6Prefix ?? WHOLE_IPV6,
    }),
  });
  const app: FastifyInstance = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: () => '',
    rewriteUrl: (request) => normalizePath(request.url ?? '/'),
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => conduct.fail(request.raw, reply.raw, error),
    clientErrorHandler: answerUnreadable,
    serverFactory: (route) =>
      createHttpServer(
        traceEach((request, response) => {
          // Whoever keeps its connection would find it closed in the middle of its next request.
          if (ctx.standing?.isStopping() === true) response.shouldKeepAlive = false;
          if (!table.serveSimple(request, response)) route(request, response);
        }, options.traceRequest),
        options.arrivalMilliseconds,
      ),
  });
  app.setErrorHandler((error, request, reply) => conduct.fail(request.raw, reply.raw, error));
  const table = new RouteTable(app, conduct);
  const groups = options.isProbesOnly === true ? [healthRoutes] : ROUTE_GROUPS;
  for (const group of [...groups, ...(options.extraRoutes ?? [])]) group(table, ctx);
  table.complete();
  app.addHook('preClose', async () => {
    await takeWaiting(app.server);
    table.close();
    closeWhenIdle(app.server);
  });
  app.addHook('onClose', async () => conduct.close());
  return app;
}

/** 90 requests in 60 seconds, as the interface says. */
function createRateLimiter(options: AppOptions, name: string, limit = 90, share = 1): Limiter {
  const windowMilliseconds = 60_000;
  const memoryBytes = (options.limiterMemoryBytes ?? LIMITER_MEMORY_BYTES) * share;
  const own = new RateLimiter({ limit, windowMilliseconds, memoryBytes });
  const { sharedCounts } = options;
  return sharedCounts === undefined
    ? own
    : new DistributedRateLimiter(own, sharedCounts, { name, limit, windowMilliseconds });
}
