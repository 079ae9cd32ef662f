/**
 * What has been read at the newest block? Kept until there is another block, so that whatever the logs of a block touch falls with it.
 * Reads under way are shared. For facts of contracts whose logs nobody reads.
 */
import type { Clock } from '../../../ports/runtime.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';

export interface BlockCache<K, T> {
  /** What is kept of this block, else what `read` gives, kept from now on. A block that is not the newest any more keeps nothing. */
  get(block: Header, key: K, read: () => Promise<T>): Promise<T>;
  /** Whether `get` would read nothing. */
  has(block: Header, key: K): boolean;
}

export interface BlockCacheOptions<T> {
  readonly clock: Clock;
  /** More fall in the order in which they came. */
  readonly maxEntries: number;
  /** A block may stay the newest for long; what holds an unreadable fact is kept shorter. */
  readonly maxAgeMilliseconds: (value: T) => number;
}

interface Kept<T> {
  readonly reading: Promise<T>;
  readonly sinceMilliseconds: number;
  /** While it is being read, any age will do. */
  maxAgeMilliseconds: number;
}

export function createBlockCache<K, T>({
  clock,
  maxEntries,
  maxAgeMilliseconds,
}: BlockCacheOptions<T>): BlockCache<K, T> {
  const kept = new Map<K, Kept<T>>();
  let newest: Header | undefined;

  function find(key: K): Kept<T> | undefined {
    const entry = kept.get(key);
    if (entry === undefined) return undefined;
    return isFresh(clock, entry.sinceMilliseconds, entry.maxAgeMilliseconds) ? entry : undefined;
  }

  function start(key: K, read: () => Promise<T>): Promise<T> {
    const entry: Kept<T> = {
      reading: read(),
      sinceMilliseconds: clock.nowMilliseconds(),
      maxAgeMilliseconds: Infinity,
    };
    kept.delete(key);
    kept.set(key, entry);
    if (kept.size > maxEntries) kept.delete(kept.keys().next().value!);
    entry.reading.then(
      (value) => (entry.maxAgeMilliseconds = maxAgeMilliseconds(value)),
      () => {
        if (kept.get(key) === entry) kept.delete(key);
      },
    );
    return entry.reading;
  }

  return {
    get(block, key, read) {
      if (newest?.hash !== block.hash) {
        if (newest !== undefined && block.number < newest.number) return read();
        kept.clear();
        newest = block;
      }
      return find(key)?.reading ?? start(key, read);
    },
    has: (block, key) => newest?.hash === block.hash && find(key) !== undefined,
  };
}
