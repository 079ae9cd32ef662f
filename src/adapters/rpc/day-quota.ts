/**
 * Calls of the UTC day against the configured number, counted in the memory of the process. Each kind of work may use a part
 * of them at any time, and the rest as the day passes, so that one with a smaller part leaves something to those with a
 * larger one. What the head follower needs until the end of the day is left to it.
 */
import { setBounded } from '../../domain/bounded-map.ts';
import { dayOf, SECONDS_PER_DAY } from '../../domain/rating/utc-day.ts';
import { nowSeconds, type Clock } from '../../ports/runtime.ts';
import type { CallPurpose } from './call-budget.ts';

/** Part of the calls of a day that the index and reads of known machines use freely; the last tenth is spread over the day. */
export const FREE_PART_OF_DAY = 0.9;
/** The same for lookups of ids that may not exist: a flood of them leaves known machines as much as they need. */
const FREE_PART_OF_UNKNOWN = 0.5;
/** Largest part that is left to the head. */
const MAX_HEAD_PART = 0.5;
/** Time over which the need of the head is measured. */
const HEAD_PERIOD_SECONDS = 600;
/** Days whose calls are remembered; more only where the clock was wrong. */
const MAX_DAYS = 8;

export class DayQuota {
  readonly #clock: Clock;
  readonly #callsPerDay: number | undefined;
  #day = 0;
  /** Calls by day, so that a clock that was ahead finds the count of the day to which it returns. */
  readonly #calls = new Map<number, number>();
  /** Calls of the head in the present period, and its calls per second in the last one. */
  #headPeriod = { sinceSeconds: -Infinity, calls: 0 };
  #headRate = 0;

  constructor(clock: Clock, callsPerDay: number | undefined) {
    this.#clock = clock;
    this.#callsPerDay = callsPerDay;
  }

  /** Returns whether these calls may be sent now. */
  allows(calls: number, purpose: CallPurpose): boolean {
    if (this.#callsPerDay === undefined) return true;
    const used = this.#readUsed();
    return used + calls <= this.#callsPerDay && used <= this.#limitOf(purpose);
  }

  /** Returns the seconds until this many calls of the purpose may be sent, if no others are. */
  secondsUntil(calls: number, purpose: CallPurpose): number {
    if (this.#callsPerDay === undefined || this.allows(calls, purpose)) return 0;
    const perSecond = ((1 - freePart(purpose)) * this.#callsPerDay) / SECONDS_PER_DAY;
    const missing = this.#readUsed() + calls - this.#limitOf(purpose);
    return Math.min(this.#secondsLeft, missing / perSecond);
  }

  /** Returns whether the calls of this day are used faster than the day passes. */
  isUsedTooFast(): boolean {
    return this.#callsPerDay !== undefined && this.#readUsed() > this.#callsPerDay * (1 - this.#partLeft);
  }

  /** Counts calls that are sent at this time of the stopwatch. */
  countCalls(count: number, isHead: boolean, now: number): void {
    const used = this.#readUsed();
    setBounded(this.#calls, this.#day, used + count, MAX_DAYS);
    if (isHead) this.#measureHead(count, now / 1000);
  }

  #measureHead(count: number, nowSeconds: number): void {
    const { sinceSeconds, calls } = this.#headPeriod;
    const seconds = nowSeconds - sinceSeconds;
    if (seconds >= HEAD_PERIOD_SECONDS) {
      this.#headRate = calls / seconds;
      this.#headPeriod = { sinceSeconds: nowSeconds, calls: 0 };
    }
    this.#headPeriod.calls += count;
  }

  /** Calls that the head needs until the end of the day. */
  get #headNeed(): number {
    const rate = Math.max(this.#headRate, this.#headPeriod.calls / HEAD_PERIOD_SECONDS);
    return Math.min(rate * this.#secondsLeft, this.#callsPerDay! * MAX_HEAD_PART);
  }

  /** Returns the calls of the day up to which more of this purpose may be sent now. */
  #limitOf(purpose: CallPurpose): number {
    const released = this.#callsPerDay! * (1 - (1 - freePart(purpose)) * this.#partLeft);
    const { kind } = purpose.work;
    return kind === 'index' || kind === 'caller' ? released - this.#headNeed : released;
  }

  get #secondsLeft(): number {
    return SECONDS_PER_DAY - ((this.#clock.nowMilliseconds() / 1000) % SECONDS_PER_DAY);
  }

  get #partLeft(): number {
    return this.#secondsLeft / SECONDS_PER_DAY;
  }

  /** Returns the calls of today. Only a later day starts at none: a clock that was set back grants no further calls. */
  #readUsed(): number {
    const today = dayOf(nowSeconds(this.#clock));
    if (today < this.#day) this.#calls.set(today, Math.max(this.#usedOn(today), this.#usedOn(this.#day)));
    this.#day = today;
    return this.#usedOn(today);
  }

  #usedOn(day: number): number {
    return this.#calls.get(day) ?? 0;
  }
}

/** Returns the part of the calls of a day that this purpose may use at any time. */
function freePart({ work, isKnown }: CallPurpose): number {
  if (work.kind === 'head') return 1;
  if (work.kind === 'proof') return 0;
  return work.kind === 'caller' && !isKnown ? FREE_PART_OF_UNKNOWN : FREE_PART_OF_DAY;
}
