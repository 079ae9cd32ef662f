/**
 * Reads in flight, at most one current read per key. A read that is superseded still serves the callers that wait for
 * it, but its result is not stored: it may predate a change.
 */

export interface InFlightReads<K, T, Info> {
  /** Returns the current read of the key; undefined when there is none. */
  get(key: K): InFlightRead<T, Info> | undefined;
  /**
   * Makes `result` the current read of the key. Calls `store` with its value unless the read is superseded or fails.
   */
  start(key: K, result: Promise<T>, info: Info, store: (value: T) => void): void;
  /** Removes the current read of the key, whose result is then not stored. */
  supersede(key: K): void;
  /** Supersedes all reads. */
  supersedeAll(): void;
}

export interface InFlightRead<T, Info> {
  readonly result: Promise<T>;
  readonly info: Info;
}

export function createInFlightReads<K, T, Info = undefined>(): InFlightReads<K, T, Info> {
  const current = new Map<K, InFlightRead<T, Info>>();
  return {
    get: (key) => current.get(key),
    start(key, result, info, store) {
      const read = { result, info };
      current.set(key, read);
      const settle = () => current.get(key) === read && current.delete(key);
      result.then(
        (value) => {
          if (settle()) store(value);
        },
        () => void settle(),
      );
    },
    supersede: (key) => void current.delete(key),
    supersedeAll: () => current.clear(),
  };
}
