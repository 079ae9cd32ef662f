/**
 * HTTP application: builds the server and its routes from the ports in `Ctx`. Opens no connection by itself, so that tests can inject requests
 * and `main.ts` can listen.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { RequestPipeline } from './http/server/request-pipeline.ts';
import { createClientIp, listNetworks } from './http/server/client-ip.ts';
import type { PipelineServices } from './http/server/request-context.ts';
import { EventStreams } from './http/server/event-streams.ts';
import { RequestMetrics } from './http/server/request-metrics.ts';
import { normalizePath } from './http/server/request-path.ts';
import { RouteTable, type Routes } from './http/server/route-table.ts';
import { healthRoutes } from './http/routes/health.ts';
import { registerRoutes } from './http/routes/register-routes.ts';
import { InFlightLimiter } from './http/limits/in-flight-limiter.ts';
import { RateLimiter } from './http/limits/rate-limiter.ts';
import { DistributedRateLimiter, type RequestLimiter } from './http/limits/distributed-rate-limiter.ts';
import { GENERAL_REQUESTS_PER_MINUTE, type DeadlineClass } from './http/server/route-profiles.ts';
import { acceptPendingConnections, closeWhenIdle } from './http/server/connection-drain.ts';
import { createHttpServer } from './http/server/http-server.ts';
import { respondToParserError } from './http/server/parser-errors.ts';
import { withTracing, type TraceRequest } from './http/server/request-tracing.ts';
import type { Ctx } from './ports/ctx.ts';
import type { DistributedCounters } from './ports/runtime.ts';

export type RouteGroup = (routes: Routes, ctx: Ctx) => void;

export interface AppOptions {
  readonly rateLimits?: 'on' | 'off';
  readonly trustedProxies?: readonly string[];
  readonly rateLimitIpv6Prefix?: number;
  readonly limiterMemoryBytes?: number;
  /** Left out: this process counts independently. */
  readonly distributedCounters?: DistributedCounters | undefined;
  /** After this time a request receives its timeout error. */
  readonly deadlineMilliseconds?: Partial<Readonly<Record<DeadlineClass, number>>>;
  /** Within this time a request must have arrived completely. */
  readonly arrivalMilliseconds?: number;
  readonly logsRequests?: boolean;
  /** Left out: requests are not traced. */
  readonly traceRequest?: TraceRequest | undefined;
  readonly metrics?: RequestMetrics;
  /** Serves the health checks only (`INDEXER=only`). */
  readonly isHealthOnly?: boolean;
  /** Registered after the routes of the service, for tests. */
  readonly extraRoutes?: readonly RouteGroup[];
}

/** Clients are promised a response within 10 s, and readers of Verify wait 5 s; the difference is for the network (evidence 13). */
const DEADLINE_MILLISECONDS: Readonly<Record<DeadlineClass, number>> = {
  general: 9_000,
  verify: 3_500,
  'chip-challenge': 5_000,
  'chip-evidence': 8_000,
};
const WHOLE_IPV6 = 128;
/** The smallest network that is assigned to one client. */
const NETWORK_IPV6 = 64;
const LIMITER_MEMORY_BYTES = 64 * 1024 * 1024;
/** Share of the memory that the limiter of one route needs: it counts addresses, not each path of each address. */
const ROUTE_LIMITER_SHARE = 1 / 8;

export async function buildApp(ctx: Ctx, options: AppOptions = {}): Promise<FastifyInstance> {
  const { metrics = new RequestMetrics(), logsRequests = true } = options;
  const { clock, monotonicClock, timers, log } = ctx;
  const createLimiter = (name: string, limit?: number, share?: number) => {
    if (options.rateLimits === 'off') return undefined;
    const limiter = createRateLimiter(options, name, limit, share);
    metrics.addLimiter(name, () => limiter.report());
    return limiter;
  };
  const trustedProxies = options.trustedProxies ?? [];
  const addressOf = createClientIp({ trustedProxies, ipv6Prefix: WHOLE_IPV6 });
  const networksOf: PipelineServices['networksOf'] = ({ socket, headers }) =>
    listNetworks(addressOf(socket.remoteAddress ?? '', headers['x-forwarded-for']));
  const readWithin: PipelineServices['readWithin'] = async ({ socket, headers }, path) => {
    const forwarded = headers['x-forwarded-for'];
    const response = await app.inject({
      url: path,
      ...(socket.remoteAddress !== undefined && { remoteAddress: socket.remoteAddress }),
      ...(forwarded !== undefined && { headers: { 'x-forwarded-for': forwarded } }),
    });
    const single = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: response.statusCode, headers: Object.fromEntries(single), text: response.body };
  };
  const streams = new EventStreams(timers);
  metrics.addStreams(() => streams.count);
  const pipeline = new RequestPipeline({
    services: { clock, monotonicClock, log, logsRequests, metrics, networksOf, streams, readWithin },
    workScope: ctx.workScope,
    inFlight: options.rateLimits === 'off' ? undefined : new InFlightLimiter(),
    timers,
    deadlineMilliseconds: { ...DEADLINE_MILLISECONDS, ...options.deadlineMilliseconds },
    rateLimiter: createLimiter('general'),
    createRouteLimiter: (limit, name) => createLimiter(name, limit, ROUTE_LIMITER_SHARE),
    clientIp: createClientIp({
      trustedProxies,
      ipv6Prefix: options.rateLimitIpv6Prefix ?? NETWORK_IPV6,
    }),
  });
  const app: FastifyInstance = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: () => '',
    rewriteUrl: (request) => normalizePath(request.url ?? '/'),
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => pipeline.fail(request.raw, reply.raw, error),
    clientErrorHandler: respondToParserError,
    serverFactory: (route) =>
      createHttpServer(
        withTracing((request, response) => {
          // A connection kept open now would be closed in the middle of its next request.
          if (ctx.process?.isStopping() === true) response.shouldKeepAlive = false;
          route(request, response);
        }, options.traceRequest),
        options.arrivalMilliseconds,
      ),
  });
  app.setErrorHandler((error, request, reply) => pipeline.fail(request.raw, reply.raw, error));
  const table = new RouteTable(app, pipeline);
  const register = options.isHealthOnly === true ? healthRoutes : registerRoutes;
  for (const group of [register, ...(options.extraRoutes ?? [])]) group(table, ctx);
  table.complete();
  app.addHook('preClose', async () => {
    streams.close();
    await acceptPendingConnections(app.server);
    closeWhenIdle(app.server);
  });
  app.addHook('onClose', (_app, done) => {
    pipeline.close();
    done();
  });
  await app.ready();
  return app;
}

/** Creates a limiter per minute; without `limit`, with the general limit of the interface. */
function createRateLimiter(
  options: AppOptions,
  name: string,
  limit = GENERAL_REQUESTS_PER_MINUTE,
  share = 1,
): RequestLimiter {
  const windowMilliseconds = 60_000;
  const memoryBytes = (options.limiterMemoryBytes ?? LIMITER_MEMORY_BYTES) * share;
  const own = new RateLimiter({ limit, windowMilliseconds, memoryBytes });
  const { distributedCounters } = options;
  return distributedCounters === undefined
    ? own
    : new DistributedRateLimiter(own, distributedCounters, { name, limit, windowMilliseconds });
}
