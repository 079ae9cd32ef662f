/**
 * Request metrics: responses and their durations by route as registered, method and status class, so that callers cannot create new series.
 * These arrays cost a hot read less than the histograms of a library.
 */
import { LatencyHistogram } from '../../domain/metrics/latency-histogram.ts';
import { Fault } from '../../domain/faults.ts';
import type { LimiterReport } from '../limits/rate-limiter.ts';

/** Methods with their own counter; all others share one. */
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'OPTIONS'];
const OTHER_METHOD = 'other';
/** Status classes that exist from the start for a registered method, in hundreds: a rate cannot see the first value of a series. */
const INITIAL_CLASSES = [2, 5];
const UNEXPECTED = 'Unexpected ';

/** Responses of one route. */
export class RouteMetrics {
  readonly route: string;
  readonly #byMethod = new Map<string, (LatencyHistogram | undefined)[]>();

  constructor(route: string) {
    this.route = route;
  }

  /** Creates the counters of a method with the value 0. */
  initialize(method: string): void {
    const histograms = this.#histogramsOf(method);
    for (const hundreds of INITIAL_CLASSES) histograms[hundreds] ??= new LatencyHistogram();
  }

  add(method: string, status: number, milliseconds: number): void {
    const histograms = this.#byMethod.get(method) ?? this.#histogramsOf(method);
    (histograms[Math.floor(status / 100)] ??= new LatencyHistogram()).add(milliseconds / 1000);
  }

  list(): ResponseCount[] {
    return [...this.#byMethod].flatMap(([method, histograms]) =>
      histograms.flatMap((durations, hundreds) =>
        durations === undefined ? [] : [{ route: this.route, method, status: `${hundreds}xx`, durations }],
      ),
    );
  }

  #histogramsOf(method: string): (LatencyHistogram | undefined)[] {
    const name = METHODS.includes(method) ? method : OTHER_METHOD;
    const histograms = this.#byMethod.get(name) ?? [];
    this.#byMethod.set(name, histograms);
    return histograms;
  }
}

export interface ResponseCount {
  readonly route: string;
  readonly method: string;
  /** Such as `2xx`. */
  readonly status: string;
  readonly durations: LatencyHistogram;
}

/** Errors returned, by kind. */
export interface FaultCount {
  readonly fault: string;
  /** Empty where the fault has none. */
  readonly cause: string;
  readonly count: number;
}

export class RequestMetrics {
  readonly #routes = new Map<string, RouteMetrics>();
  readonly #faults = new Map([[UNEXPECTED, 0]]);
  readonly #limiters = new Map<string, () => LimiterReport>();
  #streams = () => 0;
  #lastCaller = '';
  #sameCallerRequests = 0;

  /** Returns the metrics that all methods of one pattern share. */
  ofRoute(pattern: string): RouteMetrics {
    const metrics = this.#routes.get(pattern) ?? new RouteMetrics(pattern);
    this.#routes.set(pattern, metrics);
    return metrics;
  }

  addFault(error: unknown): void {
    const key = error instanceof Fault ? `${error.kind} ${causeOf(error)}` : UNEXPECTED;
    this.#faults.set(key, (this.#faults.get(key) ?? 0) + 1);
  }

  addLimiter(name: string, report: () => LimiterReport): void {
    this.#limiters.set(name, report);
  }

  /** Registers the count of open streams. */
  addStreams(count: () => number): void {
    this.#streams = count;
  }

  streams(): number {
    return this.#streams();
  }

  /** Counts a request of the address by which rates are counted. */
  addCaller(address: string): void {
    if (address !== this.#lastCaller) {
      this.#lastCaller = address;
      this.#sameCallerRequests = 0;
    }
    this.#sameCallerRequests += 1;
  }

  /** Returns how many requests in a row came from one address; many suggest a load balancer that is not trusted. */
  sameCallerRequests(): number {
    return this.#sameCallerRequests;
  }

  responses(): ResponseCount[] {
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
  return 'cause' in context ? context.cause : '';
}
