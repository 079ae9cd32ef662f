/**
 * Port for currency rates in USD: the table for ratings, and the configuration that a stored rating state belongs to
 * (design/scoring.md, Amount and Fold; decisions 6). Implemented by `adapters/fx`, which stores rates in `FxStore`.
 */
import type { RateTable } from '../domain/rating/rate-table.ts';

export interface FxConfiguration {
  /** New object after every change, so that caches can compare it by identity. */
  readonly table: RateTable;
  /**
   * Identifies the model, the presence of a feed, and the tokens: rating states of another fingerprint are not used. Added
   * rates do not change it.
   */
  readonly fingerprint: string;
}

/** Why a feed was rejected. Fixed words, so that logs and metrics can count them. */
export type FxProblem =
  | 'unreachable' // no response, or no such file
  | 'timeout'
  | 'http-status' // any status but 200, including redirects
  | 'too-large'
  | 'malformed' // not a reference file of the European Central Bank, or without any rate
  | 'stale'; // its newest rate is too old to be used for yesterday

/** Result of one refresh. */
export type FxRefresh =
  /** No feed, the table is complete up to yesterday, or the last attempt failed just before. */
  | { readonly kind: 'not-due' }
  | {
      readonly kind: 'refreshed';
      readonly throughDay: number;
      readonly added: number;
      /** Number of ignored rates that contradict stored ones. */
      readonly conflicting: number;
    }
  /** The table is unchanged. `place` is the position of the error in a malformed feed. */
  | { readonly kind: 'failed'; readonly problem: FxProblem; readonly place?: string };

export interface FxRates {
  /** Returns the newest table without waiting. */
  current(): FxConfiguration;
  /**
   * Fetches the feed when a day has passed since the table was last complete. Every replica calls it about once a minute.
   * Throws only `StoreUnavailable`.
   */
  refresh(): Promise<FxRefresh>;
}
