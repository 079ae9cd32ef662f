/** FIFO semaphore for outgoing RPC calls. */

/** Creates a function that runs tasks, at most `permits` at a time, in the order of the calls. */
export function createSemaphore(permits: number): <T>(task: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let acquired = 0;
  return async (task) => {
    if (acquired < permits) acquired += 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await task();
    } finally {
      const next = queue.shift(); // the permit passes to the next task
      if (next === undefined) acquired -= 1;
      else next();
    }
  };
}
