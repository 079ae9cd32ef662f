/**
 * What is a currency worth in USD? The table that ratings are made with, and the configuration that a stored fold belongs to
 * (design/scoring.md, Amount and Fold; decisions 6). Implemented by `adapters/fx`, which keeps rates in `FxStore`.
 */
import type { RateTable } from '../domain/rating/rate-table.ts';

export interface FxConfiguration {
  /** A new object after every change, so that answers can be kept by it. */
  readonly table: RateTable;
  /**
   * Names the model, whether there is a feed, and the tokens: folds of another fingerprint are not this service's. Growing
   * rates do not change it.
   */
  readonly fingerprint: string;
}

/** Why a feed was not taken over. Fixed words, so that logs and metrics can count them. */
export type FxProblem =
  | 'unreachable' // no answer, or no such file
  | 'timeout'
  | 'http-status' // any status but 200, redirects too
  | 'too-large'
  | 'malformed' // not a reference file of the European Central Bank, or without any rate
  | 'stale'; // its newest rate is too old to stand for yesterday

/** What one refresh did. */
export type FxRefresh =
  /** No feed, the table is complete up to yesterday, or a failed attempt was made a moment ago. */
  | { readonly kind: 'not-due' }
  | {
      readonly kind: 'refreshed';
      readonly throughDay: number;
      readonly added: number;
      /** Rates of days covered before that the feed now tells otherwise; they were ignored. */
      readonly conflicting: number;
    }
  /** The table and its last day stand as they were. `place` says where a malformed feed is so. */
  | { readonly kind: 'failed'; readonly problem: FxProblem; readonly place?: string };

export interface FxRates {
  /** The newest table; never waits. */
  current(): FxConfiguration;
  /**
   * Fetches the feed when a day has passed since the table was last complete; to be called every minute or so, by every
   * replica. Throws `StoreUnavailable` and nothing else.
   */
  refresh(): Promise<FxRefresh>;
}
