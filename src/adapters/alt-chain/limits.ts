/** Timeouts, concurrency limits and cache sizes of the alt-chain adapter. Tests override single values. */

export interface AltChainLimits {
  /** Timeout of one HTTP request to one node. */
  readonly requestTimeoutMilliseconds: number;
  /** Timeout of one read with its retries and fail-over; must stay below the server's 9 s deadline. */
  readonly readTimeoutMilliseconds: number;
  /** The same two timeouts for the indexers, which no client waits for. */
  readonly indexRequestTimeoutMilliseconds: number;
  readonly indexReadTimeoutMilliseconds: number;
  /** Accounts that were read within this time are readable; after the shorter one they are read again. */
  readonly maxReadAgeMilliseconds: number;
  readonly readCheckMilliseconds: number;
  /** Number of the first responses whose blocks are compared with the main chain's while no block time is known. */
  readonly unjudgedSlots: number;
  /** Number of retries after a transient failure, and the wait before each when the node sends no Retry-After. */
  readonly maxWaits: number;
  readonly waitMilliseconds: number;
  readonly firstOpenMilliseconds: number;
  readonly maxOpenMilliseconds: number;
  /** Upper bound for a Retry-After (chain-svm 8). */
  readonly maxRetryAfterMilliseconds: number;
  readonly maxResponseBytes: number;
  readonly connectionsPerNode: number;
  /** Concurrent calls for machines; further machines queue and share the next calls. */
  readonly maxMachineCalls: number;
  /** Concurrent calls of the indexers. */
  readonly maxHistoryCalls: number;
  readonly absenceAgeMilliseconds: number;
  readonly maxAbsences: number;
  readonly bindingAgeMilliseconds: number;
  readonly maxBindings: number;
}

export const ALT_CHAIN_LIMITS: AltChainLimits = {
  requestTimeoutMilliseconds: 2_500,
  readTimeoutMilliseconds: 7_000,
  indexRequestTimeoutMilliseconds: 20_000,
  indexReadTimeoutMilliseconds: 60_000,
  maxReadAgeMilliseconds: 60_000,
  readCheckMilliseconds: 20_000,
  unjudgedSlots: 3,
  maxWaits: 3,
  waitMilliseconds: 400, // one slot
  firstOpenMilliseconds: 250,
  maxOpenMilliseconds: 10_000,
  maxRetryAfterMilliseconds: 30_000,
  maxResponseBytes: 64 * 1024 * 1024,
  connectionsPerNode: 16,
  maxMachineCalls: 8,
  maxHistoryCalls: 8,
  absenceAgeMilliseconds: 5_000,
  maxAbsences: 10_000,
  bindingAgeMilliseconds: 60_000,
  maxBindings: 10_000,
};
