/**
 * Request pipeline: what every request passes through, whatever its route. Admits it by rate, sets its deadline and turns everything that is
 * thrown into an error response (http-facts 2, decisions 3).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../domain/faults.ts';
import type { Timers, WorkScope } from '../../ports/runtime.ts';
import type { ErrorImages } from '../images/error-images.ts';
import { sendError } from './response.ts';
import type { ClientIp } from './client-ip.ts';
import { Deadlines } from './deadlines.ts';
import { RequestContext, type Handler, type PipelineServices, type Route } from './request-context.ts';
import { decodePath } from './request-path.ts';
import type { InFlightLimiter } from '../limits/in-flight-limiter.ts';
import type { RequestLimiter } from '../limits/distributed-rate-limiter.ts';
import { ROUTE_PROFILES, profileOfUnknownPath, type DeadlineClass, type ProfileName } from './route-profiles.ts';

export interface RequestPipelineOptions {
  readonly services: PipelineServices;
  readonly timers: Timers;
  readonly deadlineMilliseconds: Readonly<Record<DeadlineClass, number>>;
  /** Undefined: rates are not limited. */
  readonly rateLimiter: RequestLimiter | undefined;
  /** Creates the limiter of a route with its own limit. Returns undefined when rates are not limited. */
  readonly createRouteLimiter: (requestsPerMinute: number, name: string) => RequestLimiter | undefined;
  readonly clientIp: ClientIp;
  /** Undefined: requests in flight are not limited. */
  readonly inFlight: InFlightLimiter | undefined;
  /** Names the caller that reads of a chain are made for. */
  readonly workScope: WorkScope | undefined;
}

/** How the pipeline treats the requests of one route. */
export interface RoutePolicy {
  readonly profile: ProfileName;
  readonly requestsPerMinute?: number;
  readonly refuse?: Route['refuse'];
  /** The handler responds at once where what it needs is cached. */
  readonly isImmediate?: boolean;
  /** Images that replace the JSON of errors. */
  readonly errorImages?: ErrorImages | undefined;
}

const MAX_HEADERS = 200;
const TRANSFER_ENCODING = 'transfer-encoding';
/** Half of what the server reads at all, so that the path is known here, and with it the envelope (evidence 3.3). */
const MAX_VERIFY_HEAD_BYTES = 16_384;
/** All paths without a route share this rate-limit key. */
const UNKNOWN_PATH = '';
/** All paths of a route with its own limiter share this rate-limit key. */
const WHOLE_ROUTE = '';
const NO_PARAMETERS = {};
const ROUTE_UNKNOWN = new Fault('RouteUnknown', {});
const HEAD_TOO_LARGE = new Fault('RequestTooLarge', { part: 'head' });
const TOO_MANY_IN_FLIGHT = new Fault('LookupsExceeded', { retryAfterSeconds: 1 });
const BAD_HEAD = new Fault('RequestMalformed', {});
/** By seconds to wait; created once, because a refusal must cost less than a response. */
const RATE_LIMITED = Array.from(
  { length: 61 },
  (_, retryAfterSeconds) => new Fault('RateLimited', { retryAfterSeconds }),
);

export class RequestPipeline {
  readonly #options: RequestPipelineOptions;
  readonly #deadlines: Readonly<Record<DeadlineClass, Deadlines>>;
  readonly #unknown: ReadonlyMap<ProfileName, Route>;

  constructor(options: RequestPipelineOptions) {
    this.#options = options;
    const { services, timers, deadlineMilliseconds } = options;
    const expire = (context: RequestContext) => sendError(context, context.timeoutFault);
    const createDeadlines = (deadlineClass: DeadlineClass) =>
      new Deadlines({
        timeoutMilliseconds: deadlineMilliseconds[deadlineClass],
        clock: services.monotonicClock,
        timers,
        expire,
      });
    this.#deadlines = {
      general: createDeadlines('general'),
      verify: createDeadlines('verify'),
      'chip-challenge': createDeadlines('chip-challenge'),
      'chip-evidence': createDeadlines('chip-evidence'),
    };
    const handler: Handler = (context) => sendError(context, ROUTE_UNKNOWN);
    this.#unknown = new Map(
      (['page', 'verify'] as const).map((profile) => [profile, this.createRoute({ profile }, 'unknown', handler)]),
    );
  }

  createRoute(
    { profile, requestsPerMinute, refuse, isImmediate = false, errorImages }: RoutePolicy,
    pattern: string,
    handler: Handler,
  ): Route {
    const { services, createRouteLimiter } = this.#options;
    const rateLimiter = requestsPerMinute === undefined ? undefined : createRouteLimiter(requestsPerMinute, pattern);
    const deadlines = this.#deadlines[ROUTE_PROFILES[profile].deadlineClass];
    const metrics = services.metrics.ofRoute(pattern);
    return { profile, pattern, handler, services, metrics, deadlines, rateLimiter, refuse, isImmediate, errorImages };
  }

  /** Handles the request to completion. Never throws. `parameters` are decoded. */
  serve(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    parameters: Readonly<Record<string, string>>,
  ): void {
    // `/mcr/` is another path, without a route; it is not an empty value.
    for (const name in parameters) if (parameters[name] === '') return this.serveUnknown(request, response);
    const context = new RequestContext(route, request, response, parameters);
    const unauthorized = route.refuse?.(request.rawHeaders);
    if (unauthorized === undefined) this.#admit(context, decodePath(request.url ?? '/'));
    else sendError(context, unauthorized);
  }

  /** Responds 404 to a path without a route. */
  serveUnknown(request: IncomingMessage, response: ServerResponse): void {
    this.#admit(this.#createUnknown(request, response), UNKNOWN_PATH);
  }

  /** Sends the response to an error that occurred before a route was found. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    sendError(this.#createUnknown(request, response), error);
  }

  close(): void {
    for (const deadlines of Object.values(this.#deadlines)) deadlines.close();
  }

  #createUnknown(request: IncomingMessage, response: ServerResponse): RequestContext {
    const profile = profileOfUnknownPath(decodePath(request.url ?? '/'));
    return new RequestContext(this.#unknown.get(profile)!, request, response, NO_PARAMETERS);
  }

  /** Waits only where rate limiting is distributed. */
  #admit(context: RequestContext, path: string): void {
    const counted = this.#count(context, path);
    if (typeof counted === 'number') this.#handle(context, counted);
    else void counted.then((retryAfterSeconds) => this.#handle(context, retryAfterSeconds));
  }

  #handle(context: RequestContext, retryAfterSeconds: number): void {
    const refusal = retryAfterSeconds > 0 ? RATE_LIMITED[retryAfterSeconds] : judgeHead(context);
    if (refusal === undefined) this.#run(context);
    else sendError(context, refusal);
  }

  #run(context: RequestContext): void {
    const { deadlines, handler, profile } = context.route;
    const { inFlight } = this.#options;
    if (inFlight?.isExceeded(context) === true && profile !== 'health') {
      const { method } = context.request;
      // A read may be cached.
      if (method !== 'GET' && method !== 'HEAD') return sendError(context, TOO_MANY_IN_FLIGHT);
      context.isLimited = true;
    }
    deadlines.add(context);
    try {
      const handled = this.#handleFor(context, handler);
      if (handled === undefined) return;
      inFlight?.track(context, handled);
      handled.catch((error: unknown) => sendError(context, error));
    } catch (error) {
      sendError(context, error);
    }
  }

  /** Runs the handler as work of its caller. */
  #handleFor(context: RequestContext, handler: Handler): ReturnType<Handler> {
    const { workScope } = this.#options;
    if (workScope === undefined) return handler(context);
    if (!context.route.isImmediate) return workScope.run(context, () => handler(context));
    workScope.enter(context);
    try {
      return handler(context);
    } finally {
      workScope.leave();
    }
  }

  #count({ route, request, startedAtMilliseconds }: RequestContext, path: string): number | Promise<number> {
    const { clientIp } = this.#options;
    const isGeneral = ROUTE_PROFILES[route.profile].deadlineClass === 'general';
    const rateLimiter = route.rateLimiter ?? (isGeneral ? this.#options.rateLimiter : undefined);
    if (rateLimiter === undefined) return 0;
    const address = clientIp(request.socket.remoteAddress ?? '', request.headers['x-forwarded-for']);
    // The checks of an orchestrator come from one address.
    if (route.profile !== 'health') this.#options.services.metrics.addCaller(address);
    return rateLimiter.count(address, route.rateLimiter === undefined ? path : WHOLE_ROUTE, startedAtMilliseconds);
  }
}

function judgeHead({ route, request }: RequestContext): Fault | undefined {
  if (isHeadTooLarge(route.profile, request)) return HEAD_TOO_LARGE;
  return isHeadAmbiguous(request) ? BAD_HEAD : undefined;
}

function isHeadTooLarge(profile: ProfileName, { url, rawHeaders }: IncomingMessage): boolean {
  if (rawHeaders.length > 2 * MAX_HEADERS) return true;
  if (ROUTE_PROFILES[profile].deadlineClass === 'general') return false;
  return rawHeaders.reduce((sum, text) => sum + text.length, url?.length ?? 0) > MAX_VERIFY_HEAD_BYTES;
}

/**
 * RFC 9112, 3.2 and 6.1: exactly one `Host`, which only HTTP/1.0 may omit, and no transfer coding but `chunked`: no other one is decoded
 * here, so the body would not be what the client sent.
 */
function isHeadAmbiguous({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    const isCoding = name.length === TRANSFER_ENCODING.length && name.toLowerCase() === TRANSFER_ENCODING;
    if (isCoding && rawHeaders[i + 1]!.trim().toLowerCase() !== 'chunked') return true;
  }
  return hosts > 1 || (hosts === 0 && httpVersion !== '1.0');
}
