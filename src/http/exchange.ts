/**
 * What does the service know about one request while it is being answered? Its route, when it came, and what happens when
 * the answer is out: the deadline is lifted and one line is logged.
 */
import { Fault } from '../domain/faults.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Deadlines } from './deadlines.ts';
import type { Surface } from './surfaces.ts';

/** What all requests of one route have in common. */
export interface RouteConduct {
  readonly surface: Surface;
  /** As registered, parameters by name; for a path that no route has, the word `unknown`. */
  readonly pattern: string;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly log: Log;
  /** Whether every request is a line of the log. */
  readonly logsRequests: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route; registering one without it throws. */
    readonly surface?: Surface;
  }
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** One request and its answer. `next` and `previous` belong to `Deadlines`. */
export class Exchange {
  readonly route: RouteConduct;
  readonly method: string;
  readonly startedAtMilliseconds: number;
  next: Exchange | undefined = undefined;
  previous: Exchange | undefined = undefined;
  expiresAtMilliseconds = 0;
  /** Answers with the fault of a missed deadline. */
  expire: (() => void) | undefined = undefined;

  constructor(route: RouteConduct, method: string, startedAtMilliseconds: number) {
    this.route = route;
    this.method = method;
    this.startedAtMilliseconds = startedAtMilliseconds;
  }

  /** To be called once, with the status that was sent and what was thrown, if anything. */
  settle(status: number, error?: unknown): void {
    const { clock, deadlines, log, logsRequests, pattern } = this.route;
    deadlines.leave(this);
    if (!logsRequests) return;
    const milliseconds = clock.nowMilliseconds() - this.startedAtMilliseconds;
    const line = { method: this.method, route: pattern, status, milliseconds };
    log.info(error === undefined ? line : { ...line, ...describe(error) }, 'request');
  }
}

/** Fixed words only: the kind of a fault and its cause, or the class of whatever else was thrown. */
function describe(error: unknown): { fault: string; cause?: string } {
  if (!(error instanceof Fault)) return { fault: 'Unexpected', cause: nameClass(error) };
  return 'cause' in error.context ? { fault: error.kind, cause: String(error.context.cause) } : { fault: error.kind };
}

export function nameClass(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
