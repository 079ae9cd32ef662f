/** What was learned lately? Kept for a fixed age and in a fixed number of entries; the oldest falls first. */
import type { Clock } from '../../../ports/runtime.ts';
import { isFresh } from '../../rpc/is-fresh.ts';

export interface TtlCache<K, V> {
  recall(key: K): V | undefined;
  /** `sinceMilliseconds`: when the question was asked, on the clock. */
  keep(key: K, value: V, sinceMilliseconds: number): void;
  forget(key: K): void;
}

export interface TtlCacheOptions {
  readonly clock: Clock;
  readonly maxAgeMilliseconds: number;
  readonly maxEntries: number;
}

export function createTtlCache<K, V>(options: TtlCacheOptions): TtlCache<K, V> {
  const { clock, maxAgeMilliseconds, maxEntries } = options;
  const kept = new Map<K, { readonly value: V; readonly sinceMilliseconds: number }>();
  return {
    recall(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      if (isFresh(clock, entry.sinceMilliseconds, maxAgeMilliseconds)) return entry.value;
      kept.delete(key);
      return undefined;
    },
    keep(key, value, sinceMilliseconds) {
      kept.delete(key); // the order of insertion is the order of age
      kept.set(key, { value, sinceMilliseconds });
      if (kept.size > maxEntries) kept.delete(kept.keys().next().value!);
    },
    forget(key) {
      kept.delete(key);
    },
  };
}
