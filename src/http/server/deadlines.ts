/**
 * Which requests have waited for too long? A request that is not answered in time gets its answer from here, so that no slow
 * node makes a caller wait for more than the interface allows (http-facts 2 "server deadline", evidence 2).
 * All requests of one list have the same patience, so the list is in order of expiry, and entering and leaving are a few pointers.
 */
import type { RequestContext } from './request-context.ts';

const CHECKING_MILLISECONDS = 100;

export class Deadlines {
  readonly #patienceMilliseconds: number;
  readonly #expire: (exchange: RequestContext) => void;
  readonly #timer: NodeJS.Timeout;
  #oldest: RequestContext | undefined;
  #newest: RequestContext | undefined;

  constructor(patienceMilliseconds: number, expire: (exchange: RequestContext) => void) {
    this.#patienceMilliseconds = patienceMilliseconds;
    this.#expire = expire;
    this.#timer = setInterval(() => this.#expireOverdue(), CHECKING_MILLISECONDS).unref();
  }

  enter(exchange: RequestContext): void {
    exchange.expiresAtMilliseconds = exchange.arrivedAtMilliseconds + this.#patienceMilliseconds;
    exchange.previous = this.#newest;
    if (this.#newest === undefined) this.#oldest = exchange;
    else this.#newest.next = exchange;
    this.#newest = exchange;
  }

  /** Does nothing for an exchange that is not waiting. */
  leave(exchange: RequestContext): void {
    if (exchange.expiresAtMilliseconds === undefined) return;
    exchange.expiresAtMilliseconds = undefined;
    if (exchange.previous === undefined) this.#oldest = exchange.next;
    else exchange.previous.next = exchange.next;
    if (exchange.next === undefined) this.#newest = exchange.previous;
    else exchange.next.previous = exchange.previous;
    exchange.previous = undefined;
    exchange.next = undefined;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #expireOverdue(): void {
    const now = performance.now();
    for (let exchange = this.#oldest; exchange !== undefined; exchange = this.#oldest) {
      if (exchange.expiresAtMilliseconds! > now) return;
      this.leave(exchange);
      this.#expire(exchange);
    }
  }
}
