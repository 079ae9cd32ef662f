/**
 * Ceiling of a call budget: the calls per second that are allowed now. It is the lowest of the configured rate, the rate
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

/** After the calls of a day were used up: the part of the rate to continue with, its least value, and its growth. */
const DECREASE_OF_DAY = 0.1;
const MIN_CALLS_PER_SECOND_OF_DAY = 1;
const GROWTH_OF_DAY = 1.0001;
const GROWTH_MILLISECONDS = 1_000;
/** From here on the rate counts as unlimited. */
const UNLIMITED_CALLS_PER_SECOND = 2_000;
const DAY_MILLISECONDS = 86_400_000;
/** Part of the calls of a day that is used freely; the last tenth is spread over what is left of the day. */
export const FREE_PART_OF_DAY = 0.9;

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
  /** Rate after the calls of a day were used up. */
  #afterRefusal = Infinity;
  #learnedRate: () => number | undefined = () => undefined;
  #decreasedAtMilliseconds = -Infinity;
  #grownAtMilliseconds = 0;
  #day = 0;
  #callsOfDay = 0;
  #exhaustedDay: number | undefined;

  constructor(options: CallCeilingOptions) {
    this.#options = options;
  }

  /** Calls per second that are allowed now; infinite while no limit is known. */
  get rate(): number {
    return Math.min(
      this.#options.callsPerSecond ?? Infinity,
      this.#learnedRate() ?? Infinity,
      this.#afterRefusal,
      this.#rateOfDay(),
    );
  }

  limitTo(learnedRate: () => number | undefined): void {
    this.#learnedRate = learnedRate;
  }

  /** Returns the calls per second that are left for this day; infinite while few of them are used. */
  #rateOfDay(): number {
    const { clock, callsPerDay } = this.#options;
    if (callsPerDay === undefined || this.#callsOfDay < callsPerDay * FREE_PART_OF_DAY) return Infinity;
    const secondsLeft = ((this.#day + 1) * DAY_MILLISECONDS - clock.nowMilliseconds()) / 1000;
    return Math.max(0, callsPerDay - this.#callsOfDay) / Math.max(1, secondsLeft);
  }

  /** Returns whether the calls of this day are used faster than the day passes, or a node refused any more. */
  isDayExhausted(): boolean {
    if (this.#exhaustedDay === this.#day) return true;
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

  /** Raises the rate for the time since the calls of a day were used up. */
  grow(now: number): void {
    if (this.#afterRefusal === Infinity || now - this.#grownAtMilliseconds < GROWTH_MILLISECONDS) return;
    const periods = Math.floor((now - this.#grownAtMilliseconds) / GROWTH_MILLISECONDS);
    this.#grownAtMilliseconds += periods * GROWTH_MILLISECONDS;
    this.#afterRefusal *= GROWTH_OF_DAY ** periods;
    if (this.#afterRefusal > UNLIMITED_CALLS_PER_SECOND) this.#afterRefusal = Infinity;
  }

  /** Lowers the rate after a node refused all calls of this day while `used` calls counted. Refusals together count once. */
  recordDayRefusal(used: number, now: number): void {
    this.#exhaustedDay = this.#day;
    if (now - this.#decreasedAtMilliseconds < WINDOW_MILLISECONDS) return;
    this.#decreasedAtMilliseconds = now;
    this.#grownAtMilliseconds = now;
    const rate = Math.min(this.rate, Math.max(1, used));
    this.#afterRefusal = Math.max(MIN_CALLS_PER_SECOND_OF_DAY, rate * DECREASE_OF_DAY);
  }
}
