/** Counts how often something happens within one tick of the event loop: a measure of blocking that does not depend on time. */

export interface TickCounter {
  count(): void;
  /** Returns the highest count within one tick. */
  readonly most: number;
}

/** Returns a list of the same items that counts how often they are read. */
export function countReads<T>(items: readonly T[]): { readonly items: readonly T[]; readonly counter: TickCounter } {
  const counter = createTickCounter();
  const counted: T[] = [];
  for (const [i, item] of items.entries()) {
    Object.defineProperty(counted, i, {
      get() {
        counter.count();
        return item;
      },
    });
  }
  return { items: counted, counter };
}

export function createTickCounter(): TickCounter {
  let inTick = 0;
  let most = 0;
  return {
    count() {
      if (inTick++ === 0) setImmediate(() => (inTick = 0));
      most = Math.max(most, inTick);
    },
    get most() {
      return most;
    },
  };
}

/** Returns how often the event loop ran while the task did. */
export async function countTicks(task: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  let next = setImmediate(function count() {
    ticks += 1;
    next = setImmediate(count);
  });
  await task();
  clearImmediate(next);
  return ticks;
}
