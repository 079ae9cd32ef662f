/** Calls of the UTC day against the configured number, counted in the memory of the process. */
import type { Clock } from '../../ports/runtime.ts';

const DAY_MILLISECONDS = 86_400_000;
/** Part of the calls of a day that is used freely; the last tenth is spread over what is left of the day. */
export const FREE_PART_OF_DAY = 0.9;
/** Days whose calls are remembered; more only where the clock was wrong. */
const MAX_DAYS = 8;

export class DayQuota {
  readonly #clock: Clock;
  readonly #callsPerDay: number | undefined;
  #day = 0;
  /** Calls by day, so that a clock that was ahead finds the count of the day to which it returns. */
  readonly #calls = new Map<number, number>();

  constructor(clock: Clock, callsPerDay: number | undefined) {
    this.#clock = clock;
    this.#callsPerDay = callsPerDay;
  }

  /** Returns the calls per second that are left for this day; infinite while few of them are used. */
  get rate(): number {
    const used = this.#readUsed();
    if (this.#callsPerDay === undefined || used < this.#callsPerDay * FREE_PART_OF_DAY) return Infinity;
    const secondsLeft = ((this.#day + 1) * DAY_MILLISECONDS - this.#clock.nowMilliseconds()) / 1000;
    return Math.max(0, this.#callsPerDay - used) / Math.max(1, secondsLeft);
  }

  /** Returns whether the calls of this day are used faster than the day passes. */
  isUsedTooFast(): boolean {
    const partOfDay = (this.#clock.nowMilliseconds() % DAY_MILLISECONDS) / DAY_MILLISECONDS;
    return this.#callsPerDay !== undefined && this.#readUsed() > this.#callsPerDay * partOfDay;
  }

  countCalls(count: number): void {
    const used = this.#readUsed();
    this.#calls.set(this.#day, used + count);
    if (this.#calls.size > MAX_DAYS) this.#calls.delete(this.#calls.keys().next().value!);
  }

  /** Returns the calls of today. Only a later day starts at none: a clock that was set back grants no further calls. */
  #readUsed(): number {
    const today = Math.floor(this.#clock.nowMilliseconds() / DAY_MILLISECONDS);
    if (today < this.#day) this.#calls.set(today, Math.max(this.#usedOn(today), this.#usedOn(this.#day)));
    this.#day = today;
    return this.#usedOn(today);
  }

  #usedOn(day: number): number {
    return this.#calls.get(day) ?? 0;
  }
}
