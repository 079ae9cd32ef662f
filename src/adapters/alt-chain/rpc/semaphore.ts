/** How is more work taken on than may be under way at one time? Whoever comes later waits for a place, in order. */

export function createSemaphore(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let taken = 0;
  return async (work) => {
    if (taken < places) taken += 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift(); // the place is handed on, not given back
      if (next === undefined) taken -= 1;
      else next();
    }
  };
}
