/**
 * Ceiling of a call budget: the calls per second that are allowed now. It is the lowest of the configured rate, what was
 * learned from the refusals of the node in use, and what is left of the calls of the day.
 */
import type { Clock } from '../../ports/runtime.ts';

export interface CallCeilingOptions {
  /** Unix time, for the day. */
  readonly clock: Clock;
  /** Undefined: the learned rate alone limits the calls. */
  readonly callsPerSecond?: number | undefined;
  readonly callsPerDay?: number | undefined;
}

/** Longest time between a turn and its calls. */
export const MAX_DELAY_MILLISECONDS = 50;
/** Longer than a second, so that delays on the way to a node do not move calls into a full second. */
export const WINDOW_MILLISECONDS = 1_000 + MAX_DELAY_MILLISECONDS;

/** Rate of calls to a node whose calls are used up: they find out whether it serves again. */
const USED_UP_CALLS_PER_SECOND = 1;
const DAY_MILLISECONDS = 86_400_000;
/** Part of the calls of a day that is used freely; the last tenth is spread over what is left of the day. */
export const FREE_PART_OF_DAY = 0.9;

/** What was learned about the calls that a node accepts. */
export interface LearnedRate {
  /** Undefined while no limit is known. */
  readonly callsPerSecond: number | undefined;
  /** Whether the node refuses all calls for the rest of a day or longer. */
  readonly isUsedUp: boolean;
}

const NOTHING_LEARNED: LearnedRate = { callsPerSecond: undefined, isUsedUp: false };

/** Calls that count within a window. */
export interface CallWindow {
  readonly limit: number;
  readonly milliseconds: number;
}

/**
 * Returns the window of a rate. A rate below one call per second has a longer one. None is shorter, so that a rate
 * between two whole numbers puts no second window into one second.
 */
export function toWindow(rate: number): CallWindow {
  return { limit: Math.max(1, Math.floor(rate)), milliseconds: WINDOW_MILLISECONDS / Math.min(1, rate) };
}

export class CallCeiling {
  readonly #options: CallCeilingOptions;
  #learned: () => LearnedRate = () => NOTHING_LEARNED;
  #day = 0;
  #callsOfDay = 0;

  constructor(options: CallCeilingOptions) {
    this.#options = options;
  }

  /** Calls per second that are allowed now; infinite while no limit is known. */
  get rate(): number {
    const { callsPerSecond = Infinity, isUsedUp } = this.#learned();
    return Math.min(
      this.#options.callsPerSecond ?? Infinity,
      callsPerSecond,
      isUsedUp ? USED_UP_CALLS_PER_SECOND : Infinity,
      this.#rateOfDay(),
    );
  }

  limitTo(learned: () => LearnedRate): void {
    this.#learned = learned;
  }

  /** Returns the calls per second that are left for this day; infinite while few of them are used. */
  #rateOfDay(): number {
    const { clock, callsPerDay } = this.#options;
    if (callsPerDay === undefined || this.#callsOfDay < callsPerDay * FREE_PART_OF_DAY) return Infinity;
    const secondsLeft = ((this.#day + 1) * DAY_MILLISECONDS - clock.nowMilliseconds()) / 1000;
    return Math.max(0, callsPerDay - this.#callsOfDay) / Math.max(1, secondsLeft);
  }

  /** Returns whether the calls of this day are used faster than the day passes, or the node in use refuses any more. */
  isDayExhausted(): boolean {
    if (this.#learned().isUsedUp) return true;
    const { clock, callsPerDay } = this.#options;
    const partOfDay = (clock.nowMilliseconds() % DAY_MILLISECONDS) / DAY_MILLISECONDS;
    return callsPerDay !== undefined && this.#callsOfDay > callsPerDay * partOfDay;
  }

  /** Starts the count of the day when a new one has begun. */
  startDay(): void {
    const today = Math.floor(this.#options.clock.nowMilliseconds() / DAY_MILLISECONDS);
    if (today === this.#day) return;
    this.#day = today;
    this.#callsOfDay = 0;
  }

  countCalls(count: number): void {
    this.#callsOfDay += count;
  }
}
