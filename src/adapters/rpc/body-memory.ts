/**
 * Bounds the memory of the long bodies of all hosts together, from their first byte until they are parsed: those that wait
 * for a parser take memory too. Two bodies of one host are received or parsed at once and further ones of that host wait,
 * so no host waits for another. When the memory is used up, the longest body that is being received, of the host that
 * holds most, is ended: a host that stalls or floods loses its own bodies.
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
  /** Resolves when a whole body is no longer used; undefined: at once. */
  readonly used?: Promise<unknown> | undefined;
}

/** Takes memory for the next bytes of a body; false when the body was ended. */
export type Grow = (bytes: number) => boolean;

type Turns = ReturnType<typeof createSemaphore>;

export class BodyMemory {
  readonly #maxBytes: number;
  readonly #turns = new Map<string, Turns>();
  /** Bytes of each body. */
  readonly #held = new Map<LongBody, number>();
  /** Bodies that can be ended. */
  readonly #receiving = new Set<LongBody>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns whether the whole body was read; false when it was ended. Rejects when the signal aborts its wait. A whole body counts until it is used. */
  receive(body: LongBody, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const hold = async () => {
      const reading = this.#read(body);
      resolve(reading);
      try {
        if (await reading) await body.used;
      } finally {
        this.#held.delete(body);
      }
    };
    this.#turnsOf(body.host)(hold, signal).catch(reject);
    return promise;
  }

  #turnsOf(host: string): Turns {
    const turns = this.#turns.get(host) ?? createSemaphore(BODIES_PER_HOST);
    this.#turns.set(host, turns);
    return turns;
  }

  async #read(body: LongBody): Promise<boolean> {
    this.#held.set(body, 0);
    this.#receiving.add(body);
    try {
      return await body.read((bytes) => this.#grow(body, bytes));
    } catch (error) {
      if (this.#receiving.has(body)) throw error;
      return false;
    } finally {
      this.#receiving.delete(body);
    }
  }

  #grow(body: LongBody, bytes: number): boolean {
    if (!this.#receiving.has(body)) return false;
    this.#held.set(body, this.#held.get(body)! + bytes);
    while (sumBytes(this.#held) > this.#maxBytes) {
      const longest = this.#findLongest();
      this.#receiving.delete(longest);
      this.#held.delete(longest);
      longest.end();
    }
    return this.#receiving.has(body);
  }

  /** Returns the longest body that is being received, of the host that holds most. */
  #findLongest(): LongBody {
    const bytesOf = Map.groupBy(this.#held, ([{ host }]) => host);
    const hosts = Map.groupBy(this.#receiving, ({ host }) => host);
    const [most] = [...hosts.keys()].toSorted((a, b) => sumBytes(bytesOf.get(b)!) - sumBytes(bytesOf.get(a)!));
    const [longest] = hosts.get(most!)!.toSorted((a, b) => this.#held.get(b)! - this.#held.get(a)!);
    return longest!;
  }
}

function sumBytes(held: Iterable<readonly [LongBody, number]>): number {
  let sum = 0;
  for (const [, bytes] of held) sum += bytes;
  return sum;
}
