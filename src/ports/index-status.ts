/** How far are the indexes? Asked at request time; freshness is judged from this and the clock (architecture, rule 6). */
export interface MainChainIndexStatus {
  /** Last block whose logs are stored; undefined before the first commit. */
  readonly indexedBlock: number | undefined;
  /** `latest` as the worker last read it; undefined before it was ever read. */
  readonly headBlock: number | undefined;
  /** Clock milliseconds of that reading. */
  readonly headObservedAtMilliseconds: number | undefined;
}

export interface IndexStatus {
  /** Throws `ChainUnreadable` while the stored index is refused, because it is of another chain or deployment; and `StoreUnavailable`. */
  readMainChainIndex(): Promise<MainChainIndexStatus>;
}
