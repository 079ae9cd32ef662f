/** Tests the FIFO semaphore. */
import { expect, it } from 'vitest';
import { createSemaphore } from './semaphore.ts';

it('drops a waiting task whose signal is aborted, and passes the permit to the next', async () => {
  const enter = createSemaphore(1);
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = enter(() => promise);
  const abort = new AbortController();
  let isRun = false;
  const dropped = enter(async () => (isRun = true), abort.signal);
  const last = enter(async () => 'last');
  abort.abort();
  await expect(dropped).rejects.toThrow('aborted');
  resolve('first');
  expect(await Promise.all([first, last])).toEqual(['first', 'last']);
  expect(isRun).toBe(false);
});

it('runs tasks in order and never more than its permits, also after failures', async () => {
  const enter = createSemaphore(2);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  const work = async (k: number): Promise<number> => {
    order.push(k);
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
    if (k % 3 === 0) throw new Error('failed');
    return k;
  };
  const first = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((k) => enter(() => work(k))));
  const second = await Promise.allSettled([6, 7, 8, 9].map((k) => enter(() => work(k))));
  expect([...first, ...second].map(({ status }) => status === 'fulfilled')).toStrictEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((k) => k % 3 !== 0),
  );
  expect(order).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect([inside, most]).toStrictEqual([0, 2]);
});
