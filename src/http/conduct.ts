/**
 * What happens to every request, whatever its route? Admission by rate, a deadline, one answer, one log line; and an answer for
 * methods and paths that no route has (http-facts 2, decisions 3).
 */
import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { chainUnreadable, Fault } from '../domain/faults.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { sendEmpty, sendError } from './answer.ts';
import type { ConnectingAddress } from './connecting-address.ts';
import type { Deadlines } from './deadlines.ts';
import { Exchange, type RouteConduct } from './exchange.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { decodePath } from './request-target.ts';
import { SURFACES, surfaceOfUnknownPath, type Surface, type SurfaceConduct } from './surfaces.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

export interface ConductOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly logsRequests: boolean;
  readonly deadlines: Readonly<Record<SurfaceConduct['pace'], Deadlines>>;
  /** Undefined: rates are not limited. */
  readonly rateLimiter: RateLimiter | undefined;
  readonly connectingAddress: ConnectingAddress;
}

/** One key for all paths that no route has. */
const UNKNOWN_PATH = '';
const PREFLIGHT_SECONDS = 86_400;
const NOT_FOUND = new Fault('RouteUnknown', {});
/** By seconds; made once, because refusing must cost less than serving. */
const REFUSALS = Array.from({ length: 61 }, (_, retryAfterSeconds) => new Fault('RateLimited', { retryAfterSeconds }));

interface KnownPath {
  readonly surface: Surface;
  readonly handlers: Map<string, Handler>;
}

/** To be installed before the first route; `completePaths` after the last one. */
export function installConduct(app: FastifyInstance, options: ConductOptions): { readonly completePaths: () => void } {
  const paths = new Map<string, KnownPath>();
  // Every method that Node reads can be answered, and none has its body read before its route asks for it.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  let complete = false;

  app.addHook('onRoute', (route: RouteOptions) => {
    const surface = route.config?.surface;
    if (surface === undefined) throw new Error(`route ${route.url} has no surface`);
    const handler = route.handler as Handler;
    if (!complete) rememberMethods(paths, route, surface, handler);
    route.handler = conductRoute(toRouteConduct(options, surface, route.url), options, handler);
  });

  const unknown = {
    page: toRouteConduct(options, 'page', 'unknown'),
    verify: toRouteConduct(options, 'verify', 'unknown'),
  };
  app.setNotFoundHandler((request, reply) => {
    const surface = surfaceOfUnknownPath(decodePath(request.raw.url ?? '/'));
    const exchange = open(request, surface === 'verify' ? unknown.verify : unknown.page);
    sendError(request, reply, refuse(request, exchange, options, UNKNOWN_PATH) ?? NOT_FOUND);
  });

  const completePaths = () => {
    complete = true;
    for (const [url, path] of paths) completePath(app, url, path);
  };
  return { completePaths };
}

function rememberMethods(paths: Map<string, KnownPath>, route: RouteOptions, surface: Surface, handler: Handler): void {
  const path = paths.get(route.url) ?? { surface, handlers: new Map<string, Handler>() };
  if (path.surface !== surface) throw new Error(`route ${route.url} has two surfaces`);
  for (const method of [route.method].flat()) path.handlers.set(method, handler);
  paths.set(route.url, path);
}

/** Gives a path its HEAD, where the surface has one, and an answer to every method it does not have. */
function completePath(app: FastifyInstance, url: string, { surface, handlers }: KnownPath): void {
  const config = { surface };
  const schema = { hide: true };
  const read = handlers.get('GET');
  if (read !== undefined && SURFACES[surface].head && !handlers.has('HEAD')) {
    handlers.set('HEAD', read);
    app.route({ method: 'HEAD', url, config, schema, handler: read });
  }
  const allow = [...handlers.keys()];
  const fault = new Fault('MethodNotAllowed', { allow });
  const preflight = toPreflight(allow);
  app.route({
    method: METHODS.filter((method) => !handlers.has(method)),
    url,
    config,
    schema,
    handler: (request, reply) => {
      if (SURFACES[surface].crossOrigin && isPreflight(request)) sendEmpty(request, reply, 204, preflight);
      else sendError(request, reply, fault);
    },
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

function toPreflight(allow: readonly string[]): readonly string[] {
  return [
    ...['Access-Control-Allow-Origin', '*'],
    ...['Access-Control-Allow-Methods', allow.join(', ')],
    ...['Access-Control-Allow-Headers', 'Content-Type, If-None-Match'],
    ...['Access-Control-Max-Age', String(PREFLIGHT_SECONDS)],
  ];
}

function toRouteConduct(options: ConductOptions, surface: Surface, pattern: string): RouteConduct {
  const { clock, log, logsRequests } = options;
  return { surface, pattern, clock, log, logsRequests, deadlines: options.deadlines[SURFACES[surface].pace] };
}

function open(request: FastifyRequest, conduct: RouteConduct): Exchange {
  return (request.exchange = new Exchange(conduct, request.method, conduct.clock.nowMilliseconds()));
}

/** Fastify sees a handler that returns nothing and throws nothing: every outcome is answered here. */
function conductRoute(conduct: RouteConduct, options: ConductOptions, handler: Handler): Handler {
  return (request, reply) => {
    const exchange = open(request, conduct);
    const refusal =
      refuse(request, exchange, options, decodePath(request.raw.url ?? '/')) ??
      (hasEmptyParameter(request) ? NOT_FOUND : undefined);
    if (refusal !== undefined) {
      sendError(request, reply, refusal);
      return;
    }
    const fail = (error: unknown) => sendError(request, reply, error);
    conduct.deadlines.enter(exchange, () => fail(chainUnreadable('main', 'deadline')));
    try {
      const answered = handler(request, reply);
      if (answered instanceof Promise) answered.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

function refuse(
  request: FastifyRequest,
  exchange: Exchange,
  { rateLimiter, connectingAddress }: ConductOptions,
  path: string,
): Fault | undefined {
  const { raw } = request;
  if (rateLimiter !== undefined && SURFACES[exchange.route.surface].pace === 'general') {
    const address = connectingAddress(raw.socket.remoteAddress ?? '', raw.headers['x-forwarded-for']);
    const retryAfterSeconds = rateLimiter.count(address, path, exchange.startedAtMilliseconds);
    if (retryAfterSeconds > 0) return REFUSALS[retryAfterSeconds]!;
  }
  // RFC 9112, 3.2. Node would refuse it too, but without a body.
  return raw.headers.host === undefined && raw.httpVersion === '1.1' ? new Fault('RequestMalformed', {}) : undefined;
}

/** `/mcr/` is a path of its own, which no route has, not an empty value. */
function hasEmptyParameter(request: FastifyRequest): boolean {
  const parameters = request.params as Readonly<Record<string, string>>;
  for (const name in parameters) if (parameters[name] === '') return true;
  return false;
}
