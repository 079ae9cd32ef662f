/** Which numbers bound the reading of the main chain? All may be overridden, mostly by tests; the defaults are decisions. */

export interface MainChainLimits {
  /** One HTTP request to one node. */
  readonly requestTimeoutMilliseconds: number;
  /** One whole read with its retries and fail-over; well inside the server's 10 s. */
  readonly readTimeoutMilliseconds: number;
  /** The same two for the indexers, whom nobody waits for. */
  readonly indexRequestTimeoutMilliseconds: number;
  readonly indexReadTimeoutMilliseconds: number;
  /** Before the one retry of an error that may pass. */
  readonly retryDelayMilliseconds: number;
  readonly firstPauseMilliseconds: number;
  readonly maxPauseMilliseconds: number;
  /** A longer wait than this is not believed. */
  readonly maxRetryAfterMilliseconds: number;
  readonly maxResponseBytes: number;
  readonly connectionsPerNode: number;
  /** Weight of calls in one eth_call: a plain call weighs 1, a page of events more. */
  readonly maxMulticallWeight: number;
  /** Calls in one JSON-RPC batch. */
  readonly maxBatchCalls: number;
  /** A head seen longer ago, or longer after the next was to be asked for, is read anew before anything is answered. */
  readonly maxHeadAgeMilliseconds: number;
  /** A kept snapshot serves no longer than this, whatever the logs say. */
  readonly maxSnapshotAgeMilliseconds: number;
  /** The same for a snapshot with an unreadable fact, which may be a passing failure of the node. */
  readonly maxFlawedSnapshotAgeMilliseconds: number;
  /** Estimated memory of all kept snapshots. */
  readonly maxSnapshotBytes: number;
  /** Readiness is asked anew at most this often. */
  readonly readinessAgeMilliseconds: number;
  /** The query limit that is used when a contract names a larger one. */
  readonly maxEventPage: number;
}

export const MAIN_CHAIN_LIMITS: MainChainLimits = {
  requestTimeoutMilliseconds: 2_500,
  readTimeoutMilliseconds: 7_000,
  indexRequestTimeoutMilliseconds: 20_000,
  indexReadTimeoutMilliseconds: 60_000,
  retryDelayMilliseconds: 1_000,
  firstPauseMilliseconds: 250,
  maxPauseMilliseconds: 10_000,
  maxRetryAfterMilliseconds: 60_000,
  maxResponseBytes: 64 * 1024 * 1024,
  connectionsPerNode: 16,
  maxMulticallWeight: 1_000,
  maxBatchCalls: 100,
  maxHeadAgeMilliseconds: 5_000,
  maxSnapshotAgeMilliseconds: 60_000,
  maxFlawedSnapshotAgeMilliseconds: 1_000,
  maxSnapshotBytes: 64 * 1024 * 1024,
  readinessAgeMilliseconds: 1_000,
  maxEventPage: 200,
};
