/**
 * Freshness of the main-chain index, required for operator listings (interface, operator listing; decisions 1). It is judged at request time
 * from the worker's last write and the clock, so that a stalled worker cannot appear fresh.
 */

/** Largest lag at which the index may serve listings. */
export const MAX_LAG_BLOCKS = 100;

/** Number of poll intervals without a read of the head after which the index is stale. */
export const MAX_UNSEEN_INTERVALS = 10;

/** An observation further in the future has no known age: a clock was set back. */
export const MAX_AHEAD_MILLISECONDS = 60_000;

export interface IndexProgress {
  readonly indexedBlock: number | undefined;
  readonly headBlock: number | undefined;
  readonly headObservedAtMilliseconds: number | undefined;
  /** Whether nothing is served until blocks that another mode stored are proven (`INDEX_PROOF=before`). */
  readonly isHeldBack?: boolean | undefined;
}

export type IndexFreshness =
  | {
      readonly kind: 'fresh';
      readonly indexedBlock: number;
      readonly headBlock: number;
      readonly lagBlocks: number;
      readonly headObservedAgeSeconds: number;
    }
  /** Nothing is indexed yet, or the lag is too large or unknown. */
  | { readonly kind: 'syncing'; readonly indexedBlock: number; readonly headBlock: number }
  /** The head was last read `headObservedAgeSeconds` ago, which is too long. */
  | { readonly kind: 'stale'; readonly headObservedAgeSeconds: number };

/** Returns the lag and the age of the head, whether or not they are acceptable; undefined where unknown. */
export function measureIndexProgress(
  { indexedBlock, headBlock, headObservedAtMilliseconds }: IndexProgress,
  nowMilliseconds: number,
): { readonly lagBlocks: number | undefined; readonly headObservedAgeSeconds: number | undefined } {
  return {
    lagBlocks: indexedBlock === undefined || headBlock === undefined ? undefined : countLag(indexedBlock, headBlock),
    headObservedAgeSeconds:
      headObservedAtMilliseconds === undefined ? undefined : toAgeSeconds(headObservedAtMilliseconds, nowMilliseconds),
  };
}

/** Judges the head's age before the lag, which means nothing against an old head. */
export function judgeIndexFreshness(
  progress: IndexProgress,
  nowMilliseconds: number,
  pollIntervalSeconds: number,
  maxLagBlocks: number = MAX_LAG_BLOCKS,
): IndexFreshness {
  const { headBlock, headObservedAtMilliseconds } = progress;
  const indexedBlock = progress.isHeldBack === true ? undefined : progress.indexedBlock;
  if (headBlock === undefined || headObservedAtMilliseconds === undefined) {
    return { kind: 'syncing', indexedBlock: indexedBlock ?? 0, headBlock: indexedBlock ?? 0 };
  }
  if (headObservedAtMilliseconds - nowMilliseconds > MAX_AHEAD_MILLISECONDS) {
    return { kind: 'syncing', indexedBlock: indexedBlock ?? 0, headBlock };
  }
  const ageMilliseconds = nowMilliseconds - headObservedAtMilliseconds;
  const headObservedAgeSeconds = toAgeSeconds(headObservedAtMilliseconds, nowMilliseconds);
  if (ageMilliseconds > MAX_UNSEEN_INTERVALS * pollIntervalSeconds * 1000) {
    return { kind: 'stale', headObservedAgeSeconds };
  }
  if (indexedBlock === undefined) return { kind: 'syncing', indexedBlock: 0, headBlock };
  const lagBlocks = countLag(indexedBlock, headBlock);
  if (lagBlocks > maxLagBlocks) return { kind: 'syncing', indexedBlock, headBlock };
  return { kind: 'fresh', indexedBlock, headBlock, lagBlocks, headObservedAgeSeconds };
}

/** Returns whether the index is fresh, and machines with recent events are rated from it. */
export function isServing(
  progress: IndexProgress & { readonly servesRatings?: boolean | undefined },
  nowMilliseconds: number,
  pollIntervalSeconds: number,
): boolean {
  const { kind } = judgeIndexFreshness(progress, nowMilliseconds, pollIntervalSeconds);
  return kind === 'fresh' && progress.servesRatings !== false;
}

/** Returns the age of a worker's observation in whole seconds; undefined when it was never made, or lies too far in the future. */
export function judgeObservationAge(
  observedAtMilliseconds: number | undefined,
  nowMilliseconds: number,
): number | undefined {
  if (observedAtMilliseconds === undefined) return undefined;
  if (observedAtMilliseconds - nowMilliseconds > MAX_AHEAD_MILLISECONDS) return undefined;
  return toAgeSeconds(observedAtMilliseconds, nowMilliseconds);
}

/** Returns whether an observation of that age is recent enough to rely on. */
export function isObservationFresh(ageSeconds: number | undefined, pollIntervalSeconds: number): ageSeconds is number {
  return ageSeconds !== undefined && ageSeconds <= MAX_UNSEEN_INTERVALS * pollIntervalSeconds;
}

/** Returns 0 for an index that is ahead of the head last read. */
function countLag(indexedBlock: number, headBlock: number): number {
  return Math.max(0, headBlock - indexedBlock);
}

/** Returns 0 for a time in the future. */
function toAgeSeconds(observedAtMilliseconds: number, nowMilliseconds: number): number {
  return Math.max(0, Math.floor((nowMilliseconds - observedAtMilliseconds) / 1000));
}
