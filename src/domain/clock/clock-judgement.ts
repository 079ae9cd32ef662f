/**
 * Judgement of the wall clock (design/provable 3). The monotonic clock shows jumps, and the heads of the main chain show a clock that is
 * behind. A head that is old proves nothing: its chain may be quiet.
 */

/** 2024-01-01: an earlier clock is behind. */
const EARLIEST_MILLISECONDS = 1_704_067_200_000;
/** Largest accepted lag behind a head, and largest accepted distance from the expected time. */
const CLOCK_TOLERANCE_MILLISECONDS = 30_000;
/** A head that is older says nothing about the clock. */
const MAX_CONFIRMING_AGE_MILLISECONDS = 120_000;

export const CLOCK_STATES = ['good', 'unconfirmed', 'doubtful', 'behind'] as const;

/**
 * State of the wall clock. `behind`: earlier than a block of the chain. `doubtful`: it jumped, or the host was suspended. `unconfirmed`: no
 * head has confirmed it since the start. Nothing that depends on the time is served while it is `behind` or `doubtful`.
 */
export type ClockState = (typeof CLOCK_STATES)[number];

declare const brand: unique symbol;

/** Whole Unix seconds of a clock that may be used. */
export type TrustedSeconds = number & { readonly [brand]: 'TrustedSeconds' };

/** Wall time and monotonic time at one moment. */
export interface ClockReading {
  readonly wallMilliseconds: number;
  readonly monotonicMilliseconds: number;
}

export interface ClockEvidence {
  /** Reading of the start, or of the newest head that confirmed the clock. */
  readonly anchor: ClockReading;
  readonly isConfirmed: boolean;
  /** Unix seconds of the newest head; 0: none is known. */
  readonly headTimestamp: number;
}

/** Judges a reading; the first state that applies is returned. A reading that is not a number is never usable. */
export function judgeClock(now: ClockReading, { anchor, isConfirmed, headTimestamp }: ClockEvidence): ClockState {
  const { wallMilliseconds } = now;
  const earliestMilliseconds = Math.max(EARLIEST_MILLISECONDS, headTimestamp * 1000 - CLOCK_TOLERANCE_MILLISECONDS);
  if (wallMilliseconds < earliestMilliseconds) return 'behind';
  const elapsedMilliseconds = now.monotonicMilliseconds - anchor.monotonicMilliseconds;
  const difference = Math.abs(wallMilliseconds - (anchor.wallMilliseconds + elapsedMilliseconds));
  if (!(difference <= CLOCK_TOLERANCE_MILLISECONDS)) return 'doubtful';
  return isConfirmed ? 'good' : 'unconfirmed';
}

/** Returns whether the time of a head agrees with the wall clock. */
export function isConfirmedBy(wallMilliseconds: number, headTimestamp: number): boolean {
  const ageMilliseconds = wallMilliseconds - headTimestamp * 1000;
  return ageMilliseconds >= -CLOCK_TOLERANCE_MILLISECONDS && ageMilliseconds <= MAX_CONFIRMING_AGE_MILLISECONDS;
}

/** Returns whether what depends on the time may be served. */
export function isUsable(state: ClockState): boolean {
  return state === 'good' || state === 'unconfirmed';
}
