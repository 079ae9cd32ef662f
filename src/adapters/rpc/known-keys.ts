/** Keys that were found on a chain, bounded: their reads go before those of keys that may not exist. */
import { setBounded } from '../../domain/bounded-map.ts';

const MAX_KEYS = 100_000;

export interface KnownKeys<K> {
  has(key: K): boolean;
  add(key: K): void;
}

export function createKnownKeys<K>(): KnownKeys<K> {
  const keys = new Map<K, true>();
  return { has: (key) => keys.has(key), add: (key) => setBounded(keys, key, true, MAX_KEYS) };
}
