/**
 * Limits on requests in flight per connection, which may pipeline, and per client network (real-chains 3). A request counts
 * while its handler waits; one that is served from a cache never does.
 */
import type { Socket } from 'node:net';

/** Request whose handler may wait. */
export interface LimitedRequest {
  readonly request: { readonly socket: Socket };
  /** Networks of its caller, the narrowest last. */
  readonly networks: readonly string[];
}

export const MAX_IN_FLIGHT_OF_CONNECTION = 64;
export const MAX_IN_FLIGHT_OF_NETWORK = 256;

export class InFlightLimiter {
  readonly #ofConnection = new WeakMap<Socket, number>();
  readonly #ofNetwork = new Map<string, number>();
  #total = 0;

  /** Returns whether the connection or the network of a new request has too many requests in flight. */
  isExceeded({ request: { socket }, networks }: LimitedRequest): boolean {
    if (this.#total < MAX_IN_FLIGHT_OF_CONNECTION) return false;
    if ((this.#ofConnection.get(socket) ?? 0) >= MAX_IN_FLIGHT_OF_CONNECTION) return true;
    return this.#total >= MAX_IN_FLIGHT_OF_NETWORK && this.#countOf(networks) >= MAX_IN_FLIGHT_OF_NETWORK;
  }

  /** Counts the request until its handler has finished. */
  track(request: LimitedRequest, handled: Promise<unknown>): void {
    this.#change(request, 1);
    const end = () => this.#change(request, -1);
    handled.then(end, end);
  }

  #countOf(networks: readonly string[]): number {
    return this.#ofNetwork.get(networks.at(-1)!) ?? 0;
  }

  #change({ request: { socket }, networks }: LimitedRequest, change: 1 | -1): void {
    this.#total += change;
    this.#ofConnection.set(socket, (this.#ofConnection.get(socket) ?? 0) + change);
    const count = this.#countOf(networks) + change;
    if (count === 0) this.#ofNetwork.delete(networks.at(-1)!);
    else this.#ofNetwork.set(networks.at(-1)!, count);
  }
}
