/**
 * Which requests have waited for too long? A request that is not answered in time gets its answer from here, so that no slow
 * node makes a caller wait for more than the interface allows (http-facts 2 "server deadline", evidence 2).
 * All requests of one list have the same patience, so the list is in order of expiry, and entering and leaving are a few pointers.
 */
import type { Exchange } from './exchange.ts';

const CHECKING_MILLISECONDS = 100;

export class Deadlines {
  readonly #patienceMilliseconds: number;
  readonly #now: () => number;
  #oldest: Exchange | undefined;
  #newest: Exchange | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `now` counts milliseconds and never goes back. */
  constructor(patienceMilliseconds: number, now: () => number = () => performance.now()) {
    this.#patienceMilliseconds = patienceMilliseconds;
    this.#now = now;
  }

  enter(exchange: Exchange, expire: () => void): void {
    exchange.expiresAtMilliseconds = this.#now() + this.#patienceMilliseconds;
    exchange.expire = expire;
    exchange.previous = this.#newest;
    if (this.#newest === undefined) this.#oldest = exchange;
    else this.#newest.next = exchange;
    this.#newest = exchange;
    this.#timer ??= setInterval(() => this.expireOverdue(), CHECKING_MILLISECONDS).unref();
  }

  /** Does nothing for an exchange that is not waiting. */
  leave(exchange: Exchange): void {
    if (exchange.expire === undefined) return;
    exchange.expire = undefined;
    if (exchange.previous === undefined) this.#oldest = exchange.next;
    else exchange.previous.next = exchange.next;
    if (exchange.next === undefined) this.#newest = exchange.previous;
    else exchange.next.previous = exchange.previous;
    exchange.previous = undefined;
    exchange.next = undefined;
  }

  expireOverdue(): void {
    const now = this.#now();
    for (let exchange = this.#oldest; exchange !== undefined; exchange = this.#oldest) {
      if (exchange.expiresAtMilliseconds > now) return;
      const { expire } = exchange;
      this.leave(exchange);
      expire?.();
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
