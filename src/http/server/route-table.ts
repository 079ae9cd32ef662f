/**
 * Route table: registers the routes of the route groups with the framework, and responds 405 to the methods that a path does not
 * have (http-facts 2 "405", "HEAD", "CORS").
 */
import { METHODS } from 'node:http';
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
  readonly handlers: Map<string, Handler>;
}

const PREFLIGHT_SECONDS = 86_400;

export class RouteTable implements Routes {
  readonly described: DescribedRoute[] = [];
  readonly #app: FastifyInstance;
  readonly #pipeline: RequestPipeline;
  readonly #paths = new Map<string, KnownPath>();

  constructor(app: FastifyInstance, pipeline: RequestPipeline) {
    this.#app = app;
    this.#pipeline = pipeline;
    // Accepts every method that Node parses, and reads no body before its route requests it.
    for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    app.setNotFoundHandler((request, reply) => pipeline.serveUnknown(request.raw, reply.raw));
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
    for (const [path, known] of this.#paths) this.#completePath(path, known);
  }

  #register(method: string, path: string, options: RouteOptions, handler: Handler): void {
    const { profile, description } = options;
    const known = this.#paths.get(path) ?? { profile, handlers: new Map<string, Handler>() };
    if (known.profile !== profile) throw new Error(`${path} has two profiles`);
    known.handlers.set(method, handler);
    this.#paths.set(path, known);
    if (description !== undefined) this.described.push({ method, path, profile, description });
    this.#add([method], path, options, handler).metrics.initialize(method);
  }

  #add(methods: string[], path: string, options: RouteOptions, handler: Handler): Route {
    const route = this.#pipeline.createRoute(options, path, handler);
    this.#app.route({
      method: methods,
      url: path,
      handler: (request, reply) => {
        this.#pipeline.serve(route, request.raw, reply.raw, request.params as Record<string, string>);
      },
    });
    return route;
  }

  #completePath(path: string, { profile, handlers }: KnownPath): void {
    const read = handlers.get('GET');
    if (read !== undefined && ROUTE_PROFILES[profile].head) {
      handlers.set('HEAD', read);
      this.#add(['HEAD'], path, { profile }, read);
    }
    const allow = [...handlers.keys()];
    const others = METHODS.filter((method) => !handlers.has(method));
    this.#add(others, path, { profile }, createMethodRefusal(profile, allow));
  }
}

function createMethodRefusal(profile: ProfileName, allow: readonly string[]): Handler {
  const fault = new Fault('MethodNotAllowed', { allow });
  const preflight = [
    ...['Access-Control-Allow-Origin', '*'],
    ...['Access-Control-Allow-Methods', allow.join(', ')],
    ...['Access-Control-Allow-Headers', 'Content-Type, If-None-Match'],
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
