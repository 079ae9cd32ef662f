/**
 * Bounds the memory of the long bodies that are being received, of all hosts together. Two bodies of one host are
 * received at once and further ones of that host wait, so no host waits for another. When the memory is used up, the
 * longest body of the host that holds most of it is ended: a host that stalls or floods loses its own bodies.
 */
import { createSemaphore } from '../../domain/semaphore.ts';

const BODIES_PER_HOST = 2;

/** A body that is being received. */
export interface LongBody {
  readonly host: string;
  /** Reads the body and calls `grow` before it takes memory. Returns false, or fails, when the body is not whole. */
  readonly read: (grow: Grow) => Promise<boolean>;
  /** Ends the connection, so that `read` returns. */
  readonly end: () => void;
}

/** Takes memory for the next bytes of a body; false when the body was ended. */
export type Grow = (bytes: number) => boolean;

type Turns = ReturnType<typeof createSemaphore>;

export class BodyMemory {
  readonly #maxBytes: number;
  readonly #turns = new Map<string, Turns>();
  /** Bytes of each body. */
  readonly #held = new Map<LongBody, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns whether the whole body was read; false when it was ended. Rejects when the signal aborts its wait. */
  receive(body: LongBody, signal: AbortSignal): Promise<boolean> {
    return this.#turnsOf(body.host)(() => this.#read(body), signal);
  }

  #turnsOf(host: string): Turns {
    const turns = this.#turns.get(host) ?? createSemaphore(BODIES_PER_HOST);
    this.#turns.set(host, turns);
    return turns;
  }

  async #read(body: LongBody): Promise<boolean> {
    this.#held.set(body, 0);
    try {
      return await body.read((bytes) => this.#grow(body, bytes));
    } catch (error) {
      if (this.#held.has(body)) throw error;
      return false;
    } finally {
      this.#held.delete(body);
    }
  }

  #grow(body: LongBody, bytes: number): boolean {
    const held = this.#held.get(body);
    if (held === undefined) return false;
    this.#held.set(body, held + bytes);
    while (sumBytes(this.#held) > this.#maxBytes) {
      const longest = this.#findLongest();
      this.#held.delete(longest);
      longest.end();
    }
    return this.#held.has(body);
  }

  /** Returns the longest body of the host that holds most. */
  #findLongest(): LongBody {
    const hosts = [...Map.groupBy(this.#held, ([{ host }]) => host).values()];
    const most = hosts.reduce((one, other) => (sumBytes(other) > sumBytes(one) ? other : one));
    return most.reduce((one, other) => (other[1] > one[1] ? other : one))[0];
  }
}

function sumBytes(held: Iterable<readonly [LongBody, number]>): number {
  let sum = 0;
  for (const [, bytes] of held) sum += bytes;
  return sum;
}
