/**
 * How many requests were answered, how, and how long did each take? Counted for metrics: by route as registered, method and class of status, so
 * that callers cannot make new counters. A histogram of a library costs a hot read more than these arrays do.
 */
import { LatencyHistogram } from '../../domain/metrics/latency-histogram.ts';
import { Fault } from '../../domain/faults.ts';
import type { LimiterReport } from '../limits/rate-limiter.ts';

/** Methods with a counter of their own; the others share one. */
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'OPTIONS'];
const OTHER_METHOD = 'other';

/** Answers of one route. */
export class RouteMetrics {
  readonly route: string;
  readonly #byMethod = new Map<string, (LatencyHistogram | undefined)[]>();

  constructor(route: string) {
    this.route = route;
  }

  add(method: string, status: number, milliseconds: number): void {
    const tallies = this.#byMethod.get(method) ?? this.#talliesOf(method);
    (tallies[Math.floor(status / 100)] ??= new LatencyHistogram()).add(milliseconds / 1000);
  }

  list(): ResponseCount[] {
    return [...this.#byMethod].flatMap(([method, tallies]) =>
      tallies.flatMap((durations, hundreds) =>
        durations === undefined ? [] : [{ route: this.route, method, status: `${hundreds}xx`, durations }],
      ),
    );
  }

  #talliesOf(method: string): (LatencyHistogram | undefined)[] {
    const name = METHODS.includes(method) ? method : OTHER_METHOD;
    const tallies = this.#byMethod.get(name) ?? [];
    this.#byMethod.set(name, tallies);
    return tallies;
  }
}

export interface ResponseCount {
  readonly route: string;
  readonly method: string;
  /** Such as `2xx`. */
  readonly status: string;
  readonly durations: LatencyHistogram;
}

/** Why answers were not what was asked for. */
export interface FaultCount {
  readonly fault: string;
  /** Empty where the fault has none. */
  readonly cause: string;
  readonly count: number;
}

export class RequestMetrics {
  readonly #routes = new Map<string, RouteMetrics>();
  readonly #faults = new Map<string, number>();
  readonly #limiters = new Map<string, () => LimiterReport>();

  /** The same for every method of one pattern. */
  ofRoute(pattern: string): RouteMetrics {
    const tally = this.#routes.get(pattern) ?? new RouteMetrics(pattern);
    this.#routes.set(pattern, tally);
    return tally;
  }

  addFault(error: unknown): void {
    const key = error instanceof Fault ? `${error.kind} ${causeOf(error)}` : 'Unexpected ';
    this.#faults.set(key, (this.#faults.get(key) ?? 0) + 1);
  }

  addLimiter(name: string, report: () => LimiterReport): void {
    this.#limiters.set(name, report);
  }

  answers(): ResponseCount[] {
    return [...this.#routes.values()].flatMap((route) => route.list());
  }

  faults(): FaultCount[] {
    return [...this.#faults].map(([key, count]) => {
      const [fault = '', cause = ''] = key.split(' ');
      return { fault, cause, count };
    });
  }

  limiters(): (LimiterReport & { readonly name: string })[] {
    return [...this.#limiters].map(([name, report]) => ({ name, ...report() }));
  }
}

function causeOf({ context }: Fault): string {
  return 'cause' in context ? String(context.cause) : '';
}
