/**
 * Route table: registers the routes of the route groups with the framework, and responds 405 to the methods that a path does not
 * have (http-facts 2 "405", "HEAD", "CORS").
 */
import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../../domain/faults.ts';
import { sendEmpty, sendError } from './response.ts';
import type { RequestPipeline, RoutePolicy } from './request-pipeline.ts';
import type { RequestContext, Handler, Route } from './request-context.ts';
import type { DescribedRoute, RouteDescription } from '../schemas/openapi.ts';
import { ROUTE_PROFILES, type ProfileName } from './route-profiles.ts';

export interface RouteOptions extends RoutePolicy {
  /** For the OpenAPI document. Every route of the service has one; a route of a test need not. */
  readonly description?: RouteDescription;
}

/** Interface that route groups register their routes with. Parameters of a path are segments written `:name`. */
export interface Routes {
  get(path: string, options: RouteOptions, handler: Handler): void;
  put(path: string, options: RouteOptions, handler: Handler): void;
  post(path: string, options: RouteOptions, handler: Handler): void;
  /** Routes with a description that are registered so far. */
  readonly described: readonly DescribedRoute[];
}

interface KnownPath {
  readonly profile: ProfileName;
  readonly errorImages: RoutePolicy['errorImages'];
  readonly handlers: Map<string, Handler>;
}

/** A path that exists, with the route of the methods that it does not have. */
interface Refusal {
  readonly segments: readonly string[];
  readonly route: Route;
}

/** Request headers that pages of other origins may send: those of conditional reads, of resumed streams and of the Model Context Protocol. */
const ALLOWED_HEADERS =
  'Content-Type, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name';
const PREFLIGHT_SECONDS = 86_400;

export class RouteTable implements Routes {
  readonly described: DescribedRoute[] = [];
  readonly #app: FastifyInstance;
  readonly #pipeline: RequestPipeline;
  readonly #paths = new Map<string, KnownPath>();
  #refusals: readonly Refusal[] = [];

  constructor(app: FastifyInstance, pipeline: RequestPipeline) {
    this.#app = app;
    this.#pipeline = pipeline;
    // Accepts every method that Node parses, and reads no body before its route requests it.
    for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    app.setNotFoundHandler((request, reply) => this.#serveOther(request.raw, reply.raw));
  }

  get(path: string, options: RouteOptions, handler: Handler): void {
    this.#register('GET', path, options, handler);
  }

  put(path: string, options: RouteOptions, handler: Handler): void {
    this.#register('PUT', path, options, handler);
  }

  post(path: string, options: RouteOptions, handler: Handler): void {
    this.#register('POST', path, options, handler);
  }

  /** Adds HEAD and the 405 of the other methods to every path. Must be called after the last route. */
  complete(): void {
    for (const [path, known] of this.#paths) this.#addHead(path, known);
    const refusals = Array.from(this.#paths, ([path, known]) => this.#createRefusal(path, known));
    // Like the router, which prefers fixed segments.
    this.#refusals = refusals.toSorted((one, other) => countParameters(one) - countParameters(other));
  }

  #register(method: string, path: string, options: RouteOptions, handler: Handler): void {
    const { profile, description, errorImages } = options;
    const known = this.#paths.get(path) ?? { profile, errorImages, handlers: new Map<string, Handler>() };
    if (known.profile !== profile) throw new Error(`${path} has two profiles`);
    known.handlers.set(method, handler);
    this.#paths.set(path, known);
    if (description !== undefined) this.described.push({ method, path, profile, description });
    this.#add(method, path, options, handler).metrics.initialize(method);
  }

  #add(method: string, path: string, options: RouteOptions, handler: Handler): Route {
    const route = this.#pipeline.createRoute(options, path, handler);
    this.#app.route({
      method,
      url: path,
      handler: (request, reply) => {
        this.#pipeline.serve(route, request.raw, reply.raw, request.params as Record<string, string>);
      },
    });
    return route;
  }

  #addHead(path: string, { profile, errorImages, handlers }: KnownPath): void {
    const read = handlers.get('GET');
    if (read === undefined || !ROUTE_PROFILES[profile].head) return;
    handlers.set('HEAD', read);
    this.#add('HEAD', path, { profile, errorImages }, read);
  }

  /** Thirty methods of every path are not registered with the framework, which takes most of the time of a start. */
  #createRefusal(path: string, { profile, handlers }: KnownPath): Refusal {
    const refuse = createMethodRefusal(profile, [...handlers.keys()]);
    return { segments: path.split('/'), route: this.#pipeline.createRoute({ profile }, path, refuse) };
  }

  /** Serves a request that no route has: 405 where the path has other methods, else 404. */
  #serveOther(request: IncomingMessage, response: ServerResponse): void {
    const [path] = (request.url ?? '/').split('?', 1) as [string];
    const segments = path.split('/').map(decodeURIComponent);
    const refusal = this.#refusals.find((each) => matches(each, segments));
    if (refusal === undefined) this.#pipeline.serveUnknown(request, response);
    else this.#pipeline.serve(refusal.route, request, response, {});
  }
}

const isParameter = (segment: string) => segment.startsWith(':');

function countParameters({ segments }: Refusal): number {
  return segments.filter(isParameter).length;
}

/** A parameter has any value but the empty one. */
function matches({ segments: known }: Refusal, segments: readonly string[]): boolean {
  return (
    known.length === segments.length &&
    known.every((each, index) => (isParameter(each) ? segments[index] !== '' : each === segments[index]))
  );
}

function createMethodRefusal(profile: ProfileName, allow: readonly string[]): Handler {
  const fault = new Fault('MethodNotAllowed', { allow });
  const preflight = [
    ...['Access-Control-Allow-Origin', '*'],
    ...['Access-Control-Allow-Methods', allow.join(', ')],
    ...['Access-Control-Allow-Headers', ALLOWED_HEADERS],
    ...['Access-Control-Max-Age', String(PREFLIGHT_SECONDS)],
  ];
  return (context) => {
    if (ROUTE_PROFILES[profile].crossOrigin && isPreflight(context)) sendEmpty(context, 204, preflight);
    else sendError(context, fault);
  };
}

function isPreflight({ request: { method, headers } }: RequestContext): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
