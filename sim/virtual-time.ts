/**
 * What makes time pass? Nothing but a list of things to come: the next one is done, everything it sets off is let finish, and only then
 * the time of the one after is reached. A day takes as long as its work.
 */
import type { Stopwatch } from '../src/adapters/rpc/deadline.ts';
import type { Clock, Timers } from '../src/ports/runtime.ts';

interface Coming {
  readonly atMilliseconds: number;
  readonly order: number;
  readonly act: () => void;
  isCancelled: boolean;
}

/** A turn of the event loop lets all promises settle; what gives way to others more often than this goes on in the next moment. */
const TURNS_TO_SETTLE = 2;

export class VirtualTime implements Timers, Stopwatch {
  #now: number;
  #order = 0;
  /** A binary heap by time, then by order of entry. */
  readonly #heap: Coming[] = [];
  /** How far the wall clock is off. */
  #skew = 0;

  constructor(nowMilliseconds: number) {
    this.#now = nowMilliseconds;
  }

  /** Monotonic. */
  nowMilliseconds(): number {
    return this.#now;
  }

  /** The wall clock that the service reads: the same time, until it is set forward or back. */
  readonly wallClock: Clock = { nowMilliseconds: () => this.#now + this.#skew };

  get skewMilliseconds(): number {
    return this.#skew;
  }

  setSkew(milliseconds: number): void {
    this.#skew = milliseconds;
  }

  /** Does something later; the returned function calls it off. */
  after(milliseconds: number, act: () => void): () => void {
    const coming: Coming = { atMilliseconds: this.#now + milliseconds, order: this.#order++, act, isCancelled: false };
    this.#push(coming);
    return () => {
      coming.isCancelled = true;
    };
  }

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.after(milliseconds, resolve);
      const end = () => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
    });
  }

  pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error('aborted'));
      const cancel = this.after(milliseconds, resolve);
      const end = () => {
        cancel();
        reject(new Error('aborted'));
      };
      signal.addEventListener('abort', end, { once: true });
    });
  }

  startTimeout(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    this.after(milliseconds, () => controller.abort());
    return controller.signal;
  }

  /** Moves on by so much, doing everything that comes on the way. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await settle();
    for (let next = this.#heap[0]; next !== undefined && next.atMilliseconds <= until; next = this.#heap[0]) {
      this.#pop();
      if (next.isCancelled) continue;
      this.#now = Math.max(this.#now, next.atMilliseconds);
      next.act();
      await settle();
    }
    this.#now = until;
  }

  #push(coming: Coming): void {
    const heap = this.#heap;
    let at = heap.push(coming) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(coming, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = coming;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Coming, other: Coming): boolean {
  return one.atMilliseconds === other.atMilliseconds
    ? one.order < other.order
    : one.atMilliseconds < other.atMilliseconds;
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SETTLE; turn++) await new Promise((resolve) => setImmediate(resolve));
}
