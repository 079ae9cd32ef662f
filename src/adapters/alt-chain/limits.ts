/** Which numbers bound the reading of the alt chain? All may be overridden, mostly by tests; the defaults are decisions. */

export interface AltChainLimits {
  /** One HTTP request to one node. */
  readonly requestTimeoutMilliseconds: number;
  /** One whole read with its retries and fail-over; well inside the server's 9 s. */
  readonly readTimeoutMilliseconds: number;
  /** The same two for the indexers, whom nobody waits for. */
  readonly indexRequestTimeoutMilliseconds: number;
  readonly indexReadTimeoutMilliseconds: number;
  /** How often a read asks again when the nodes ask to wait, and how long it waits where they do not say. */
  readonly maxWaits: number;
  readonly waitMilliseconds: number;
  readonly firstPauseMilliseconds: number;
  readonly maxPauseMilliseconds: number;
  /** A longer wait than this is not believed (chain-svm 8). */
  readonly maxRetryAfterMilliseconds: number;
  readonly maxResponseBytes: number;
  readonly connectionsPerNode: number;
  /** Calls for machines under way at one time; more machines wait and then share calls. */
  readonly maxMachineCalls: number;
  /** Calls of the indexers under way at one time. */
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
  maxWaits: 3,
  waitMilliseconds: 400, // one slot
  firstPauseMilliseconds: 250,
  maxPauseMilliseconds: 10_000,
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
