/**
 * Request context: what the service knows about one request while it handles it. Route handlers see this and nothing of the framework or the
 * socket, and send their one response through `response.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestScope } from '../../actions/request-scope.ts';
import { chainUnreadable, Fault } from '../../domain/faults.ts';
import type { ErrorImages } from '../images/error-images.ts';
import type { CallerWork, Clock, Log } from '../../ports/runtime.ts';
import type { Deadlines } from './deadlines.ts';
import type { EventStreams } from './event-streams.ts';
import type { RequestMetrics, RouteMetrics } from './request-metrics.ts';
import type { RequestLimiter } from '../limits/distributed-rate-limiter.ts';
import type { ProfileName } from './route-profiles.ts';

/** Sends a response through `response.ts` or throws; the error table turns what is thrown into a response. */
export type Handler = (context: RequestContext) => void | Promise<void>;

/** Services that every response uses besides its route. */
export interface PipelineServices {
  readonly clock: Clock;
  /** Never set back; for durations and deadlines. */
  readonly monotonicClock: Clock;
  readonly log: Log;
  /** Whether every request is a line of the log. */
  readonly logsRequests: boolean;
  readonly metrics: RequestMetrics;
  /** Returns the networks of a request's caller, the widest first. */
  readonly networksOf: (request: IncomingMessage) => readonly string[];
  readonly streams: EventStreams;
  /** Reads a path for the caller of a request, through everything that a request from outside passes. */
  readonly readWithin: (request: IncomingMessage, path: string) => Promise<InnerResponse>;
}

/** Response to a request that was sent within the process. */
export interface InnerResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What all requests of one route have in common. */
export interface Route {
  readonly profile: ProfileName;
  /** As registered, parameters by name; `unknown` for a path without a route. */
  readonly pattern: string;
  readonly handler: Handler;
  readonly metrics: RouteMetrics;
  readonly deadlines: Deadlines;
  /** Counts addresses for this route alone; undefined: the limiter of its deadline class applies. */
  readonly rateLimiter: RequestLimiter | undefined;
  /** Whether the handler responds at once where what it needs is cached. */
  readonly isImmediate: boolean;
  /** Judges the raw headers before anything is counted or read, and returns the error to send. Undefined: every request is admitted. */
  readonly refuse: ((rawHeaders: readonly string[]) => Fault | undefined) | undefined;
  /** Images that replace the JSON of errors; undefined: errors are JSON. */
  readonly errorImages: ErrorImages | undefined;
  readonly services: PipelineServices;
}

/** Error reported when the deadline expires, naming what the request was waiting on. */
const TIMEOUT_FAULTS = {
  chain: chainUnreadable('main', 'deadline'),
  store: new Fault('StoreUnavailable', {}),
  body: new Fault('RequestTimeout', {}),
};

/** Property of a socket that holds the last request read from it. */
const CURRENT = Symbol('request context');

interface Connection {
  [CURRENT]?: RequestContext;
}

/** Returns the context of the last request that was read from a connection. */
export function currentRequest(connection: object): RequestContext | undefined {
  return (connection as Connection)[CURRENT];
}

export class RequestContext implements RequestScope, CallerWork {
  declare readonly kind: 'caller';
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAtMilliseconds: number;
  /** By the monotonic clock. */
  readonly arrivedAtMilliseconds: number;
  readonly #parameters: Readonly<Record<string, string>>;
  /** Set where only what is cached may be served. */
  isLimited = false;
  #networks: readonly string[] | undefined = undefined;
  #timeoutFault: Fault = TIMEOUT_FAULTS.chain;
  /** These three belong to `Deadlines`. */
  next: RequestContext | undefined = undefined;
  previous: RequestContext | undefined = undefined;
  expiresAtMilliseconds: number | undefined = undefined;

  constructor(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    parameters: Readonly<Record<string, string>>,
  ) {
    this.route = route;
    this.request = request;
    this.response = response;
    this.startedAtMilliseconds = route.services.clock.nowMilliseconds();
    this.arrivedAtMilliseconds = route.services.monotonicClock.nowMilliseconds();
    this.#parameters = parameters;
    (request.socket as Connection)[CURRENT] = this;
  }

  /** Returns a segment of the path, decoded once; the text itself where it cannot be decoded. */
  parameter(name: string): string {
    const text = this.#parameters[name];
    if (text === undefined) throw new Error(`route ${this.route.pattern} has no parameter ${name}`);
    return text;
  }

  /** False once a response was sent, by the route or by its deadline, or the client has disconnected. */
  get isAwaited(): boolean {
    return !this.response.headersSent && !this.response.destroyed;
  }

  /** Only a request that waits for a chain needs them. */
  get networks(): readonly string[] {
    return (this.#networks ??= this.route.services.networksOf(this.request));
  }

  /** `body`: the client has not sent all of the request. */
  setPhase(what: keyof typeof TIMEOUT_FAULTS): void {
    this.#timeoutFault = TIMEOUT_FAULTS[what];
  }

  get timeoutFault(): Fault {
    return this.#timeoutFault;
  }

  /** The text after the `?`; empty when there is none. */
  get query(): string {
    const target = this.request.url ?? '';
    const start = target.indexOf('?');
    return start === -1 ? '' : target.slice(start + 1);
  }
}

// One value for all requests.
Object.defineProperty(RequestContext.prototype, 'kind', { value: 'caller' });
