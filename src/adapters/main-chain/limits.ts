/** Limits of main-chain reads: timeouts, sizes and ages. Tests override them. */

export interface MainChainLimits {
  /** Timeout of one HTTP request to one node. */
  readonly requestTimeoutMilliseconds: number;
  /** Timeout of one read with its second attempt and fail-over, well within the server's 10 s. */
  readonly readTimeoutMilliseconds: number;
  /** The same two for the indexers, for which no client waits. */
  readonly indexRequestTimeoutMilliseconds: number;
  readonly indexReadTimeoutMilliseconds: number;
  /** Delay before the second attempt after a transient error. */
  readonly retryDelayMilliseconds: number;
  /** Circuit breaker: open time after the first failure, which doubles up to the maximum. */
  readonly firstOpenMilliseconds: number;
  readonly maxOpenMilliseconds: number;
  /** Upper bound of a delay that a node requests. */
  readonly maxRetryAfterMilliseconds: number;
  readonly maxResponseBytes: number;
  readonly connectionsPerNode: number;
  /** Total weight of the calls in one eth_call: a plain call weighs 1, a page of events more. */
  readonly maxMulticallWeight: number;
  /** Calls in one JSON-RPC batch. */
  readonly maxBatchCalls: number;
  /**
   * Maximum age of the head, or of its delay past the follower's next poll; an older head is read again before it is
   * used.
   */
  readonly maxHeadAgeMilliseconds: number;
  /** Maximum age of a cached snapshot or balance, whatever the logs say. */
  readonly maxSnapshotAgeMilliseconds: number;
  /** The same for a snapshot with an unreadable fact, which may be a transient failure of the node. */
  readonly maxFlawedSnapshotAgeMilliseconds: number;
  /** Bound of the estimated memory of all cached snapshots. */
  readonly maxSnapshotBytes: number;
  /** Minimum time between two readiness checks. */
  readonly readinessAgeMilliseconds: number;
  /** Upper bound of an event page when a contract allows more. */
  readonly maxEventPage: number;
}

export const MAIN_CHAIN_LIMITS: MainChainLimits = {
  requestTimeoutMilliseconds: 2_500,
  readTimeoutMilliseconds: 7_000,
  indexRequestTimeoutMilliseconds: 20_000,
  indexReadTimeoutMilliseconds: 60_000,
  retryDelayMilliseconds: 1_000,
  firstOpenMilliseconds: 250,
  maxOpenMilliseconds: 10_000,
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
