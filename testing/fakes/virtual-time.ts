/** Virtual clock and timers that advance only on request. */
import type { Clock, Timers } from '../../src/ports/runtime.ts';

interface Waiting {
  readonly atMilliseconds: number;
  readonly resume: () => void;
}

export class VirtualTime implements Clock, Timers {
  #now: number;
  #waiting: Waiting[] = [];

  constructor(nowMilliseconds = 1_800_000_000_000) {
    this.#now = nowMilliseconds;
  }

  nowMilliseconds(): number {
    return this.#now;
  }

  /** Lengths of the current pauses, as requested. */
  get pauses(): number[] {
    return this.#waiting.map(({ atMilliseconds }) => atMilliseconds - this.#now);
  }

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting: Waiting = { atMilliseconds: this.#now + milliseconds, resume: resolve };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', () => this.#resume(waiting), { once: true });
    });
  }

  /** Advances the clock without ending pauses: time that passes within a step. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /**
   * Advances the clock and ends due pauses in order, letting each continuation run as far as it can without more time.
   */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await settle();
    for (;;) {
      const next = this.#waiting.toSorted((a, b) => a.atMilliseconds - b.atMilliseconds)[0];
      if (next === undefined || next.atMilliseconds > until) break;
      this.#now = Math.max(this.#now, next.atMilliseconds);
      this.#resume(next);
      await settle();
    }
    this.#now = Math.max(this.#now, until);
  }

  #resume(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    waiting.resume();
  }
}

/** Runs all pending work that needs no more virtual time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
