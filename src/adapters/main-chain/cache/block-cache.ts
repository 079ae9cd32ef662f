/**
 * Cache of reads at the newest block, cleared by the next block, so that whatever the logs of a block touch is read
 * again. Concurrent reads are shared. For facts of contracts whose logs are not followed.
 */
import type { Clock } from '../../../ports/runtime.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { setBounded } from '../../../domain/bounded-map.ts';
import { isFresh } from '../../rpc/is-fresh.ts';

export interface BlockCache<K, T> {
  /**
   * Returns the cached value of this block, else caches and returns what `read` returns. Reads at an older block are
   * not cached.
   */
  get(block: Header, key: K, read: () => Promise<T>): Promise<T>;
  /** Returns whether `get` would not call `read`. */
  has(block: Header, key: K): boolean;
}

export interface BlockCacheOptions<T> {
  readonly clock: Clock;
  /** Beyond it the oldest entries are dropped. */
  readonly maxEntries: number;
  /** Returns how long a value is valid: a block may stay the newest for long, and an unreadable fact expires sooner. */
  readonly maxAgeMilliseconds: (value: T) => number;
}

interface CachedRead<T> {
  readonly result: Promise<T>;
  readonly sinceMilliseconds: number;
  /** Infinite until the result is known. */
  maxAgeMilliseconds: number;
}

export function createBlockCache<K, T>(options: BlockCacheOptions<T>): BlockCache<K, T> {
  const { clock, maxEntries, maxAgeMilliseconds } = options;
  const cached = new Map<K, CachedRead<T>>();
  let newest: Header | undefined;

  function find(key: K): CachedRead<T> | undefined {
    const entry = cached.get(key);
    if (entry === undefined) return undefined;
    return isFresh(clock, entry.sinceMilliseconds, entry.maxAgeMilliseconds) ? entry : undefined;
  }

  function start(key: K, read: () => Promise<T>): Promise<T> {
    const entry: CachedRead<T> = {
      result: read(),
      sinceMilliseconds: clock.nowMilliseconds(),
      maxAgeMilliseconds: Infinity,
    };
    setBounded(cached, key, entry, maxEntries);
    entry.result.then(
      (value) => (entry.maxAgeMilliseconds = maxAgeMilliseconds(value)),
      () => {
        if (cached.get(key) === entry) cached.delete(key);
      },
    );
    return entry.result;
  }

  return {
    get(block, key, read) {
      if (newest?.hash !== block.hash) {
        if (newest !== undefined && block.number < newest.number) return read();
        cached.clear();
        newest = block;
      }
      return find(key)?.result ?? start(key, read);
    },
    has: (block, key) => newest?.hash === block.hash && find(key) !== undefined,
  };
}
