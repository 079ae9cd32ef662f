/**
 * Distributed rate limiter: counts requests over all replicas, and falls back to the limiter of this process while the distributed counters are
 * down, so that an outage refuses no client (decisions 3).
 */
import type { DistributedCounters } from '../../ports/runtime.ts';
import type { LimiterReport, RateLimiter } from './rate-limiter.ts';

/** Limiter that admission uses; only the distributed one is asynchronous. */
export interface RequestLimiter {
  /** Counts one request, as `RateLimiter.count`. */
  count(address: string, path: string, nowMilliseconds: number): number | Promise<number>;
  report(): LimiterReport;
}

export interface DistributedLimit {
  /** Distinguishes the keys of limiters. */
  readonly name: string;
  readonly limit: number;
  readonly windowMilliseconds: number;
}

export class DistributedRateLimiter implements RequestLimiter {
  readonly #own: RateLimiter;
  readonly #counters: DistributedCounters;
  readonly #limit: DistributedLimit;
  #refused = 0;

  constructor(own: RateLimiter, counters: DistributedCounters, limit: DistributedLimit) {
    this.#own = own;
    this.#counters = counters;
    this.#limit = limit;
  }

  count(address: string, path: string, nowMilliseconds: number): number | Promise<number> {
    if (!this.#counters.isUp()) return this.#own.count(address, path, nowMilliseconds);
    return this.#countDistributed(address, path, nowMilliseconds);
  }

  report(): LimiterReport {
    const own = this.#own.report();
    return { ...own, refused: own.refused + this.#refused };
  }

  async #countDistributed(address: string, path: string, nowMilliseconds: number): Promise<number> {
    const { name, limit, windowMilliseconds } = this.#limit;
    const waitMilliseconds = await this.#counters.increment(`${name} ${address} ${path}`, limit, windowMilliseconds);
    if (waitMilliseconds === undefined) return this.#own.count(address, path, nowMilliseconds);
    if (waitMilliseconds > 0) this.#refused += 1;
    return Math.ceil(waitMilliseconds / 1000);
  }
}
