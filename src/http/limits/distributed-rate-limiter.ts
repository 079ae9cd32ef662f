/**
 * Has this caller asked all replicas together too often? The limiter of one process, asked only while the shared counters do not answer: nobody is
 * refused because they are down (decisions 3).
 */
import type { DistributedCounters } from '../../ports/runtime.ts';
import type { LimiterReport, RateLimiter } from './rate-limiter.ts';

/** What admission asks; only the shared limiter answers later. */
export interface RequestLimiter {
  /** As `RateLimiter.count`. */
  count(address: string, path: string, nowMilliseconds: number): number | Promise<number>;
  report(): LimiterReport;
}

export interface DistributedLimit {
  /** Tells the keys of limiters apart. */
  readonly name: string;
  readonly limit: number;
  readonly windowMilliseconds: number;
}

export class DistributedRateLimiter implements RequestLimiter {
  readonly #own: RateLimiter;
  readonly #shared: DistributedCounters;
  readonly #limit: DistributedLimit;
  #refused = 0;

  constructor(own: RateLimiter, shared: DistributedCounters, limit: DistributedLimit) {
    this.#own = own;
    this.#shared = shared;
    this.#limit = limit;
  }

  count(address: string, path: string, nowMilliseconds: number): number | Promise<number> {
    if (!this.#shared.isUp()) return this.#own.count(address, path, nowMilliseconds);
    return this.#countTogether(address, path, nowMilliseconds);
  }

  report(): LimiterReport {
    const own = this.#own.report();
    return { ...own, refused: own.refused + this.#refused };
  }

  async #countTogether(address: string, path: string, nowMilliseconds: number): Promise<number> {
    const { name, limit, windowMilliseconds } = this.#limit;
    const left = await this.#shared.count(`${name} ${address} ${path}`, limit, windowMilliseconds);
    if (left === undefined) return this.#own.count(address, path, nowMilliseconds);
    if (left > 0) this.#refused += 1;
    return Math.ceil(left / 1000);
  }
}
