/** FIFO bound for maps that are used as small caches; LRU when each use stores the entry again. */

/** Stores the entry as the newest one and drops the oldest entry when the map then holds more than `maxEntries`. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxEntries) map.delete(map.keys().next().value!);
}
