/** Ledger of a call budget: the calls that count in the current window, and how many of them the head needs. */
import { toWindow, WINDOW_MILLISECONDS } from './call-ceiling.ts';

/** Least that is left to the head in each window, and the largest part of the ceiling. */
const MIN_HEAD_CALLS = 2;
export const MAX_HEAD_PART = 0.5;
/** Time in which the need of the head is measured. */
const HEAD_PERIOD_MILLISECONDS = 120_000;
/** Windows of this time that needed at least as many calls. A start has two bursts: its checks, and the join with the index. */
const WINDOWS_OF_NEED = 3;

interface Entry {
  readonly calls: number;
  readonly isHead: boolean;
  readonly untilMilliseconds: number;
}

export class CallLedger {
  /** Calls that count until a time, oldest first. */
  readonly #entries: Entry[] = [];
  #used = 0;
  #usedByHead = 0;
  /** Calls of the head by window, oldest first. */
  #headWindows: { readonly atMilliseconds: number; calls: number }[] = [];
  #headNeed = 0;

  /** Calls that count now. */
  get used(): number {
    return this.#used;
  }

  /** Time at which the oldest calls stop to count. */
  get nextExpiryMilliseconds(): number | undefined {
    return this.#entries[0]?.untilMilliseconds;
  }

  /** Removes the calls that count no longer. */
  expire(now: number): void {
    const entries = this.#entries;
    while (entries.length > 0 && entries[0]!.untilMilliseconds <= now) {
      const { calls, isHead } = entries.shift()!;
      this.#used -= calls;
      if (isHead) this.#usedByHead -= calls;
    }
  }

  /** Records calls that are sent now. Those beyond the ceiling of one window use up the next ones. */
  record(count: number, isHead: boolean, now: number, rate: number): void {
    if (rate === Infinity) {
      this.#add(count, isHead, now + WINDOW_MILLISECONDS);
      return;
    }
    const { limit, milliseconds } = toWindow(rate);
    for (let left = count, windows = 1; left > 0; left -= limit, windows += 1) {
      this.#add(Math.min(left, limit), isHead, now + windows * milliseconds);
    }
    if (isHead) this.#measureHead(count, now, milliseconds);
  }

  #add(calls: number, isHead: boolean, untilMilliseconds: number): void {
    const place = this.#entries.findLastIndex((each) => each.untilMilliseconds <= untilMilliseconds) + 1;
    this.#entries.splice(place, 0, { calls, isHead, untilMilliseconds });
    this.#used += calls;
    if (isHead) this.#usedByHead += calls;
  }

  /** What fewer windows needed is a burst, as at a start: it comes first anyway, and need not be left free for minutes. */
  #measureHead(count: number, now: number, milliseconds: number): void {
    const current = this.#headWindows.at(-1);
    if (current !== undefined && now - current.atMilliseconds < milliseconds) current.calls += count;
    else this.#headWindows.push({ atMilliseconds: now, calls: count });
    this.#headWindows = this.#headWindows.filter((each) => now - each.atMilliseconds < HEAD_PERIOD_MILLISECONDS);
    const largestFirst = this.#headWindows.map(({ calls }) => calls).sort((one, other) => other - one);
    this.#headNeed = largestFirst[WINDOWS_OF_NEED - 1] ?? 0;
  }

  /** Returns how many calls of a window are left to the head. */
  headShare(limit: number): number {
    return Math.min(Math.max(MIN_HEAD_CALLS, this.#headNeed), Math.floor(limit * MAX_HEAD_PART));
  }

  /** Returns what is free at a rate: calls of a window, and those that the head may take before all others. */
  roomAt(rate: number): CallRoom {
    const { limit } = toWindow(rate);
    const headShare = this.headShare(limit);
    const free = limit - this.#used;
    return {
      limit,
      free,
      freeOfHead: free - Math.max(0, headShare - this.#usedByHead),
      limitOfHead: limit - headShare,
    };
  }
}

/** Room of one window. */
export interface CallRoom {
  readonly limit: number;
  readonly free: number;
  /** What is free without the calls that are left to the head, and the most that can be. */
  readonly freeOfHead: number;
  readonly limitOfHead: number;
}
