/** TTL cache bounded in entries; the oldest entry is evicted first. The age counts from the start of the request. */
import type { Clock } from '../../../ports/runtime.ts';
import { setBounded } from '../../../domain/bounded-map.ts';
import { isFresh } from '../../rpc/is-fresh.ts';

export interface TtlCache<K, V> {
  get(key: K): V | undefined;
  /** Stores a value. `sinceMilliseconds` is when its request started, on the clock. */
  set(key: K, value: V, sinceMilliseconds: number): void;
  delete(key: K): void;
}

export interface TtlCacheOptions {
  readonly clock: Clock;
  readonly maxAgeMilliseconds: number;
  readonly maxEntries: number;
}

export function createTtlCache<K, V>(options: TtlCacheOptions): TtlCache<K, V> {
  const { clock, maxAgeMilliseconds, maxEntries } = options;
  const entries = new Map<K, { readonly value: V; readonly sinceMilliseconds: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (isFresh(clock, entry.sinceMilliseconds, maxAgeMilliseconds)) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, sinceMilliseconds) {
      setBounded(entries, key, { value, sinceMilliseconds }, maxEntries);
    },
    delete(key) {
      entries.delete(key);
    },
  };
}
