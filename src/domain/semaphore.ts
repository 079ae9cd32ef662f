/** FIFO semaphore, which limits how many tasks run at a time. */

/**
 * Creates a function that runs tasks, at most `permits` at a time, in the order of the calls. A task whose signal is
 * aborted while it waits is not run; its call rejects.
 */
export function createSemaphore(permits: number): <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const queue: (() => void)[] = [];
  let acquired = 0;

  async function wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const grant = () => resolve(undefined);
    const abort = () => {
      queue.splice(queue.indexOf(grant), 1);
      reject(new Error('aborted'));
    };
    queue.push(grant);
    signal?.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  return async (task, signal) => {
    if (acquired < permits) acquired += 1;
    else await wait(signal);
    try {
      return await task();
    } finally {
      const next = queue.shift(); // the permit passes to the next task
      if (next === undefined) acquired -= 1;
      else next();
    }
  };
}
