/**
 * Ceiling of a call budget: the calls per second that are allowed now, which is the lower of the configured rate and what
 * was learned from the refusals of the node in use, and what is left of the calls of the day.
 */
import type { Clock } from '../../ports/runtime.ts';
import type { CallPurpose } from './call-budget.ts';
import { DayQuota } from './day-quota.ts';

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
  readonly #callsPerSecond: number;
  readonly #day: DayQuota;
  #learned: () => LearnedRate = () => NOTHING_LEARNED;

  constructor({ clock, callsPerSecond = Infinity, callsPerDay }: CallCeilingOptions) {
    this.#callsPerSecond = callsPerSecond;
    this.#day = new DayQuota(clock, callsPerDay);
  }

  /** Calls per second that are allowed now; infinite while no limit is known. */
  get rate(): number {
    const { callsPerSecond = Infinity, isUsedUp } = this.#learned();
    return Math.min(this.#callsPerSecond, callsPerSecond, isUsedUp ? USED_UP_CALLS_PER_SECOND : Infinity);
  }

  limitTo(learned: () => LearnedRate): void {
    this.#learned = learned;
  }

  /** Returns whether the calls of this day are used faster than the day passes, or the node in use refuses any more. */
  isDayExhausted(): boolean {
    return this.#learned().isUsedUp || this.#day.isUsedTooFast();
  }

  /** Returns whether what is left of the day allows these calls now. */
  allows(calls: number, purpose: CallPurpose): boolean {
    const isHeldBack = purpose.work.kind === 'proof' && this.#learned().isUsedUp;
    return !isHeldBack && this.#day.allows(calls, purpose);
  }

  /** Returns whether the configured calls of the day refuse these calls now. */
  isRefusedByDay(calls: number, purpose: CallPurpose): boolean {
    return !this.#day.allows(calls, purpose);
  }

  /** Returns the seconds until what is left of the day allows this many calls of the purpose. */
  secondsUntil(calls: number, purpose: CallPurpose): number {
    return this.#day.secondsUntil(calls, purpose);
  }

  countCalls(count: number, isHead: boolean, now: number): void {
    this.#day.countCalls(count, isHead, now);
  }
}
