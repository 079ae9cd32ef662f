/**
 * What does the service know about one request while it answers it? Handlers see this and nothing of the framework or the socket: what was
 * asked, and, through `answer.ts`, one chance to answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestScope } from '../../actions/request-scope.ts';
import { chainUnreadable, Fault } from '../../domain/faults.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { Deadlines } from './deadlines.ts';
import type { RequestMetrics, RouteMetrics } from './request-metrics.ts';
import type { Limiter } from '../limits/distributed-rate-limiter.ts';
import type { ProfileName } from './route-profiles.ts';

/** Answers through `answer.ts` or throws; what is thrown is answered by the error table. */
export type Handler = (exchange: RequestContext) => void | Promise<void>;

/** What every answer needs besides its route. */
export interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether every request is a line of the log. */
  readonly logsRequests: boolean;
  readonly tally: RequestMetrics;
}

/** What all requests of one route have in common. */
export interface Route {
  readonly surface: ProfileName;
  /** As registered, parameters by name; for a path that no route has, the word `unknown`. */
  readonly pattern: string;
  readonly handler: Handler;
  readonly tally: RouteMetrics;
  readonly deadlines: Deadlines;
  /** A counter of its own, of addresses alone; undefined: that of its surface. */
  readonly rateLimiter: Limiter | undefined;
  /** Judged by the raw headers alone, before anything is counted or read; the fault is the answer. Undefined: everyone may ask. */
  readonly refuse: ((rawHeaders: readonly string[]) => Fault | undefined) | undefined;
  readonly surroundings: Surroundings;
}

/** What an answer is told to have waited for, when it comes too late. */
const LATE = { chain: chainUnreadable('main', 'deadline'), store: new Fault('StoreUnavailable', {}) };

/** The last request that was read from a connection. */
const CURRENT = Symbol('exchange');

interface Connection {
  [CURRENT]?: RequestContext;
}

export function currentRequest(connection: object): RequestContext | undefined {
  return (connection as Connection)[CURRENT];
}

export class RequestContext implements RequestScope {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAtMilliseconds: number;
  /** By a clock that is never set. */
  readonly arrivedAtMilliseconds = performance.now();
  readonly #parameters: Readonly<Record<string, string>>;
  #late: Fault = LATE.chain;
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
    this.startedAtMilliseconds = route.surroundings.clock.nowMilliseconds();
    this.#parameters = parameters;
    (request.socket as Connection)[CURRENT] = this;
  }

  /** A segment of the path, decoded once; the text itself where it cannot be decoded. */
  parameter(name: string): string {
    const text = this.#parameters[name];
    if (text === undefined) throw new Error(`route ${this.route.pattern} has no parameter ${name}`);
    return text;
  }

  /** Whether an answer would still be the first: a deadline may have passed, or the caller gone. */
  get isAwaited(): boolean {
    return !this.response.headersSent && !this.response.destroyed;
  }

  waitFor(what: 'chain' | 'store'): void {
    this.#late = LATE[what];
  }

  /** What the deadline answers. */
  get late(): Fault {
    return this.#late;
  }

  /** The text after the `?`; empty when there is none. */
  get query(): string {
    const target = this.request.url ?? '';
    const start = target.indexOf('?');
    return start === -1 ? '' : target.slice(start + 1);
  }
}
