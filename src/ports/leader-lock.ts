/**
 * Which of all processes follows the chains? The one that holds the lock. It saves work and decides nothing: what two write who both believe
 * that they hold it is still compared and set (architecture, rule 4). Implemented by `adapters/sql`.
 */
export interface LeaderLock {
  /** Takes the lock if it is free. True: it is held now. Throws `StoreUnavailable`, and then it is not held. */
  hold(): Promise<boolean>;
  /** Gives it up, if it is held, and ends its connection; a later `hold` takes it again. */
  release(): Promise<void>;
}
