/**
 * Is the main-chain index fresh enough to list from? (Interface, operator listing; decisions 1.) Judged at request time from what the worker
 * last wrote and the clock, so that a worker that stands still cannot look fresh.
 */

/** A list may be made from an index at most this far behind the head. */
export const MAX_LAG_BLOCKS = 100;

/** A head that the worker has not read for this many poll intervals counts as unseen. */
export const MAX_UNSEEN_INTERVALS = 10;

/** An observation that is made further in the future tells that a clock was set back, and not how old it is. */
export const MAX_AHEAD_MILLISECONDS = 60_000;

export interface IndexReading {
  readonly indexedBlock: number | undefined;
  readonly headBlock: number | undefined;
  readonly headObservedAtMilliseconds: number | undefined;
}

export type IndexFreshness =
  | {
      readonly kind: 'fresh';
      readonly indexedBlock: number;
      readonly headBlock: number;
      readonly lagBlocks: number;
      readonly headObservedAgeSeconds: number;
    }
  /** Nothing indexed yet, or too far behind, or not known how far. */
  | { readonly kind: 'syncing'; readonly indexedBlock: number; readonly headBlock: number }
  /** The head has not been read for so many seconds. */
  | { readonly kind: 'stale'; readonly headObservedAgeSeconds: number };

/** Judges age before lag: against an old head no lag means anything. */
export function judgeIndexFreshness(
  reading: IndexReading,
  nowMilliseconds: number,
  pollIntervalSeconds: number,
  maxLagBlocks: number = MAX_LAG_BLOCKS,
): IndexFreshness {
  const { indexedBlock, headBlock, headObservedAtMilliseconds } = reading;
  if (headBlock === undefined || headObservedAtMilliseconds === undefined) {
    return { kind: 'syncing', indexedBlock: indexedBlock ?? 0, headBlock: indexedBlock ?? 0 };
  }
  if (headObservedAtMilliseconds - nowMilliseconds > MAX_AHEAD_MILLISECONDS) {
    return { kind: 'syncing', indexedBlock: indexedBlock ?? 0, headBlock };
  }
  const ageMilliseconds = Math.max(0, nowMilliseconds - headObservedAtMilliseconds);
  const headObservedAgeSeconds = Math.floor(ageMilliseconds / 1000);
  if (ageMilliseconds > MAX_UNSEEN_INTERVALS * pollIntervalSeconds * 1000) {
    return { kind: 'stale', headObservedAgeSeconds };
  }
  if (indexedBlock === undefined) return { kind: 'syncing', indexedBlock: 0, headBlock };
  const lagBlocks = Math.max(0, headBlock - indexedBlock);
  if (lagBlocks > maxLagBlocks) return { kind: 'syncing', indexedBlock, headBlock };
  return { kind: 'fresh', indexedBlock, headBlock, lagBlocks, headObservedAgeSeconds };
}

/** How old what a worker observed is, in whole seconds; undefined: it was never observed, or in a future that a clock was set back from. */
export function judgeObservationAge(
  observedAtMilliseconds: number | undefined,
  nowMilliseconds: number,
): number | undefined {
  if (observedAtMilliseconds === undefined) return undefined;
  if (observedAtMilliseconds - nowMilliseconds > MAX_AHEAD_MILLISECONDS) return undefined;
  return Math.max(0, Math.floor((nowMilliseconds - observedAtMilliseconds) / 1000));
}

/** Whether an observation of that age still tells of now. */
export function isObservationFresh(ageSeconds: number | undefined, pollIntervalSeconds: number): ageSeconds is number {
  return ageSeconds !== undefined && ageSeconds <= MAX_UNSEEN_INTERVALS * pollIntervalSeconds;
}
