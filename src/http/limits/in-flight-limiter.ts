/**
 * Limits on requests in flight per connection, which may pipeline, and per client network: an IPv4 address, or an IPv6 /64
 * and its /48 (real-chains 3). A request counts while its handler waits; one that is served from a cache never does.
 */
import type { Socket } from 'node:net';

/** Request whose handler may wait. */
export interface LimitedRequest {
  readonly request: { readonly socket: Socket };
  /** Networks of its caller, the widest first. */
  readonly networks: readonly string[];
}

export const MAX_IN_FLIGHT_OF_CONNECTION = 64;
/** Requests in flight of one address or /64, and of one /48: as many times more as reads that wait for the call budget. */
export const MAX_IN_FLIGHT_OF_NETWORK = 256;
export const MAX_IN_FLIGHT_OF_WIDE_NETWORK = 1_024;

export class InFlightLimiter {
  readonly #ofConnection = new WeakMap<Socket, number>();
  readonly #ofNetwork = new Map<string, number>();
  #total = 0;

  /** Returns whether the connection or a network of a new request has too many requests in flight. */
  isExceeded({ request: { socket }, networks }: LimitedRequest): boolean {
    if (this.#total < MAX_IN_FLIGHT_OF_CONNECTION) return false;
    if ((this.#ofConnection.get(socket) ?? 0) >= MAX_IN_FLIGHT_OF_CONNECTION) return true;
    if (this.#total < MAX_IN_FLIGHT_OF_NETWORK) return false;
    const [wide, narrow] = [networks[0]!, networks.at(-1)!].map((each) => this.#ofNetwork.get(each) ?? 0);
    return wide! >= MAX_IN_FLIGHT_OF_WIDE_NETWORK || narrow! >= MAX_IN_FLIGHT_OF_NETWORK;
  }

  /** Counts the request until its handler has finished. */
  track(request: LimitedRequest, handled: Promise<unknown>): void {
    this.#change(request, 1);
    const end = () => this.#change(request, -1);
    handled.then(end, end);
  }

  #change({ request: { socket }, networks }: LimitedRequest, change: 1 | -1): void {
    this.#total += change;
    this.#ofConnection.set(socket, (this.#ofConnection.get(socket) ?? 0) + change);
    for (const network of networks) {
      const count = (this.#ofNetwork.get(network) ?? 0) + change;
      if (count === 0) this.#ofNetwork.delete(network);
      else this.#ofNetwork.set(network, count);
    }
  }
}
