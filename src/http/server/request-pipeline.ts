/**
 * What happens to every request, whatever its route? Admission by rate, a deadline, and an answer to everything that is thrown
 * (http-facts 2, decisions 3).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../domain/faults.ts';
import { sendError } from './response.ts';
import type { ClientIp } from './client-ip.ts';
import { Deadlines } from './deadlines.ts';
import { RequestContext, type Handler, type Route, type Surroundings } from './request-context.ts';
import { decodePath } from './request-path.ts';
import type { Limiter } from '../limits/distributed-rate-limiter.ts';
import { ROUTE_PROFILES, profileOfUnknownPath, type DeadlineClass, type ProfileName } from './route-profiles.ts';

export interface RequestPipelineOptions {
  readonly surroundings: Surroundings;
  readonly deadlineMilliseconds: Readonly<Record<DeadlineClass, number>>;
  /** Undefined: rates are not limited. */
  readonly rateLimiter: Limiter | undefined;
  /** The counter of a route that has its own. Undefined: rates are not limited. */
  readonly createRouteLimiter: (requestsPerMinute: number, name: string) => Limiter | undefined;
  readonly connectingAddress: ClientIp;
}

/** What a route decides of its own. */
export interface RoutePipeline {
  readonly surface: ProfileName;
  readonly requestsPerMinute?: number;
  readonly refuse?: Route['refuse'];
}

const MAX_HEADERS = 200;
/** Half of what is read at all, so that here the path is known, and with it the envelope (evidence 3.3). */
const MAX_VERIFY_HEAD_BYTES = 16_384;
/** One key for all paths that no route has. */
const UNKNOWN_PATH = '';
/** One key for all paths of a route that counts by itself. */
const WHOLE_ROUTE = '';
const NO_PARAMETERS = {};
const ROUTE_UNKNOWN = new Fault('RouteUnknown', {});
const HEAD_TOO_LARGE = new Fault('RequestTooLarge', { part: 'head' });
const BAD_HOST = new Fault('RequestMalformed', {});
/** By seconds; made once, because refusing must cost less than serving. */
const REFUSALS = Array.from({ length: 61 }, (_, retryAfterSeconds) => new Fault('RateLimited', { retryAfterSeconds }));

export class RequestPipeline {
  readonly #options: RequestPipelineOptions;
  readonly #deadlines: Readonly<Record<DeadlineClass, Deadlines>>;
  readonly #unknown: ReadonlyMap<ProfileName, Route>;

  constructor(options: RequestPipelineOptions) {
    this.#options = options;
    const expire = (exchange: RequestContext) => sendError(exchange, exchange.late);
    const within = (pace: DeadlineClass) => new Deadlines(options.deadlineMilliseconds[pace], expire);
    this.#deadlines = {
      general: within('general'),
      verify: within('verify'),
      'chip-challenge': within('chip-challenge'),
      'chip-evidence': within('chip-evidence'),
    };
    const refuse: Handler = (exchange) => sendError(exchange, ROUTE_UNKNOWN);
    this.#unknown = new Map(
      (['page', 'verify'] as const).map((surface) => [surface, this.createRoute({ surface }, 'unknown', refuse)]),
    );
  }

  createRoute({ surface, requestsPerMinute, refuse }: RoutePipeline, pattern: string, handler: Handler): Route {
    const { surroundings, createRouteLimiter } = this.#options;
    const rateLimiter = requestsPerMinute === undefined ? undefined : createRouteLimiter(requestsPerMinute, pattern);
    const deadlines = this.#deadlines[ROUTE_PROFILES[surface].pace];
    const tally = surroundings.tally.ofRoute(pattern);
    return { surface, pattern, handler, surroundings, tally, deadlines, rateLimiter, refuse };
  }

  /** Sees to it that the request is answered, now or later; throws nothing. `parameters` are decoded. */
  serve(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    parameters: Readonly<Record<string, string>>,
  ): void {
    // `/mcr/` is a path of its own, which no route has, not an empty value.
    for (const name in parameters) if (parameters[name] === '') return this.serveUnknown(request, response);
    const exchange = new RequestContext(route, request, response, parameters);
    const unauthorized = route.refuse?.(request.rawHeaders);
    if (unauthorized === undefined) this.#admit(exchange, decodePath(request.url ?? '/'));
    else sendError(exchange, unauthorized);
  }

  /** Answers a path that no route has. */
  serveUnknown(request: IncomingMessage, response: ServerResponse): void {
    this.#admit(this.#openUnknown(request, response), UNKNOWN_PATH);
  }

  /** Answers what went wrong before a route had the request. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    sendError(this.#openUnknown(request, response), error);
  }

  close(): void {
    for (const deadlines of Object.values(this.#deadlines)) deadlines.close();
  }

  #openUnknown(request: IncomingMessage, response: ServerResponse): RequestContext {
    const surface = profileOfUnknownPath(decodePath(request.url ?? '/'));
    return new RequestContext(this.#unknown.get(surface)!, request, response, NO_PARAMETERS);
  }

  /** Later only where all replicas count together. */
  #admit(exchange: RequestContext, path: string): void {
    const counted = this.#count(exchange, path);
    if (typeof counted === 'number') this.#answer(exchange, counted);
    else void counted.then((retryAfterSeconds) => this.#answer(exchange, retryAfterSeconds));
  }

  #answer(exchange: RequestContext, retryAfterSeconds: number): void {
    const refusal = retryAfterSeconds > 0 ? REFUSALS[retryAfterSeconds] : judgeHead(exchange);
    if (refusal === undefined) this.#run(exchange);
    else sendError(exchange, refusal);
  }

  #run(exchange: RequestContext): void {
    const { deadlines, handler } = exchange.route;
    deadlines.enter(exchange);
    try {
      const answered = handler(exchange);
      if (answered !== undefined) answered.catch((error: unknown) => sendError(exchange, error));
    } catch (error) {
      sendError(exchange, error);
    }
  }

  #count({ route, request, startedAtMilliseconds }: RequestContext, path: string): number | Promise<number> {
    const { connectingAddress } = this.#options;
    const isGeneral = ROUTE_PROFILES[route.surface].pace === 'general';
    const rateLimiter = route.rateLimiter ?? (isGeneral ? this.#options.rateLimiter : undefined);
    if (rateLimiter === undefined) return 0;
    const address = connectingAddress(request.socket.remoteAddress ?? '', request.headers['x-forwarded-for']);
    return rateLimiter.count(address, route.rateLimiter === undefined ? path : WHOLE_ROUTE, startedAtMilliseconds);
  }
}

function judgeHead({ route, request }: RequestContext): Fault | undefined {
  if (isHeadTooLarge(route.surface, request)) return HEAD_TOO_LARGE;
  return isHostAmbiguous(request) ? BAD_HOST : undefined;
}

function isHeadTooLarge(surface: ProfileName, { url, rawHeaders }: IncomingMessage): boolean {
  if (rawHeaders.length > 2 * MAX_HEADERS) return true;
  if (ROUTE_PROFILES[surface].pace === 'general') return false;
  return rawHeaders.reduce((sum, text) => sum + text.length, url?.length ?? 0) > MAX_VERIFY_HEAD_BYTES;
}

/** RFC 9112, 3.2: one host, and only HTTP/1.0 may leave it out. */
function isHostAmbiguous({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1 || (count === 0 && httpVersion !== '1.0');
}
