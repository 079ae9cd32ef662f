/**
 * Virtual time: a queue of scheduled tasks. A task runs, everything that it triggers settles, and only then does time
 * advance to the next task, so that a day takes as long as its work.
 */
import type { Stopwatch } from '../src/adapters/rpc/deadline.ts';
import type { Clock, Timers } from '../src/ports/runtime.ts';

interface ScheduledTask {
  readonly atMilliseconds: number;
  readonly order: number;
  readonly act: () => void;
  isCancelled: boolean;
}

/** Ticks of the event loop in which promises settle; work that yields more often continues at the next task. */
const SETTLE_TICKS = 2;

export class VirtualTime implements Timers, Stopwatch {
  #now: number;
  #order = 0;
  /** A binary heap by time, then by order of entry. */
  readonly #heap: ScheduledTask[] = [];
  /** Offset of the wall clock in milliseconds. */
  #skew = 0;

  readonly #settle: () => Promise<void>;

  /** `settle` resolves when everything that a task triggered has settled. */
  constructor(nowMilliseconds: number, settle = settleTicks) {
    this.#now = nowMilliseconds;
    this.#settle = settle;
  }

  /** Returns the monotonic time. */
  nowMilliseconds(): number {
    return this.#now;
  }

  /** Wall clock of the service: the monotonic time plus the skew. */
  readonly wallClock: Clock = { nowMilliseconds: () => this.#now + this.#skew };

  get skewMilliseconds(): number {
    return this.#skew;
  }

  setSkew(milliseconds: number): void {
    this.#skew = milliseconds;
  }

  /** Schedules a task; the returned function cancels it. */
  after(milliseconds: number, act: () => void): () => void {
    const task: ScheduledTask = {
      atMilliseconds: this.#now + milliseconds,
      order: this.#order++,
      act,
      isCancelled: false,
    };
    this.#push(task);
    return () => {
      task.isCancelled = true;
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

  /** Advances the time and runs every task that becomes due. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await this.#settle();
    for (let next = this.#heap[0]; next !== undefined && next.atMilliseconds <= until; next = this.#heap[0]) {
      this.#pop();
      if (next.isCancelled) continue;
      this.#now = Math.max(this.#now, next.atMilliseconds);
      next.act();
      await this.#settle();
    }
    this.#now = until;
  }

  #push(task: ScheduledTask): void {
    const heap = this.#heap;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(task, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = task;
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

function isBefore(one: ScheduledTask, other: ScheduledTask): boolean {
  return one.atMilliseconds === other.atMilliseconds
    ? one.order < other.order
    : one.atMilliseconds < other.atMilliseconds;
}

async function settleTicks(): Promise<void> {
  for (let tick = 0; tick < SETTLE_TICKS; tick++) await new Promise((resolve) => setImmediate(resolve));
}
