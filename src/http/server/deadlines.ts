/**
 * Response deadlines: requests without a response in time receive their timeout error, however slow the nodes are (http-facts 2
 * "server deadline", evidence 2). All requests of one list have the same timeout, so the list is ordered by expiry, and adding and removing
 * a request changes a few pointers. The list is checked only while it holds a request.
 */
import type { Clock, Timers } from '../../ports/runtime.ts';
import type { RequestContext } from './request-context.ts';

const CHECK_INTERVAL_MILLISECONDS = 100;

export interface DeadlineOptions {
  readonly timeoutMilliseconds: number;
  /** Monotonic. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** Sends the timeout error of a request whose deadline has expired; the request has left the list. */
  readonly expire: (context: RequestContext) => void;
}

export class Deadlines {
  readonly #options: DeadlineOptions;
  readonly #closing = new AbortController();
  #isChecking = false;
  #oldest: RequestContext | undefined;
  #newest: RequestContext | undefined;

  constructor(options: DeadlineOptions) {
    this.#options = options;
  }

  add(context: RequestContext): void {
    context.expiresAtMilliseconds = context.arrivedAtMilliseconds + this.#options.timeoutMilliseconds;
    context.previous = this.#newest;
    if (this.#newest === undefined) this.#oldest = context;
    else this.#newest.next = context;
    this.#newest = context;
    if (!this.#isChecking) void this.#check();
  }

  /** Does nothing for a request that is not in the list. */
  remove(context: RequestContext): void {
    if (context.expiresAtMilliseconds === undefined) return;
    context.expiresAtMilliseconds = undefined;
    if (context.previous === undefined) this.#oldest = context.next;
    else context.previous.next = context.next;
    if (context.next === undefined) this.#newest = context.previous;
    else context.next.previous = context.previous;
    context.previous = undefined;
    context.next = undefined;
  }

  close(): void {
    this.#closing.abort();
  }

  async #check(): Promise<void> {
    const { timers, clock } = this.#options;
    const { signal } = this.#closing;
    this.#isChecking = true;
    while (this.#oldest !== undefined && !signal.aborted) {
      await timers.wait(CHECK_INTERVAL_MILLISECONDS, signal);
      this.#expireOverdue(clock.nowMilliseconds());
    }
    this.#isChecking = false;
  }

  #expireOverdue(nowMilliseconds: number): void {
    for (let context = this.#oldest; context !== undefined; context = this.#oldest) {
      if (context.expiresAtMilliseconds! > nowMilliseconds) return;
      this.remove(context);
      this.#options.expire(context);
    }
  }
}
