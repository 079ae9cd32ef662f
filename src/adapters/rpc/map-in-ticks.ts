/** Handling of long lists of a node in several ticks of the event loop. */
import { setImmediate as nextTick } from 'node:timers/promises';

/** Maps the items in order. The event loop runs after every `itemsPerTick` of them, so that a large response does not block it. */
export async function mapInTicks<T, U>(
  items: Iterable<T>,
  itemsPerTick: number,
  map: (item: T, i: number) => U,
): Promise<U[]> {
  const mapped: U[] = [];
  for (const item of items) {
    mapped.push(map(item, mapped.length));
    if (mapped.length % itemsPerTick === 0) await nextTick();
  }
  return mapped;
}
