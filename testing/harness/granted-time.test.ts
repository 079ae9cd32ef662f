/** Tests of time limits that other load does not shorten. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { abortAfter } from './granted-time.ts';

it('aborts with a TimeoutError, never before the time has passed', async () => {
  const began = performance.now();
  const signal = abortAfter(50);
  expect(signal.aborted).toBe(false);
  await once(signal, 'abort');
  expect(performance.now() - began).toBeGreaterThanOrEqual(49);
  expect((signal.reason as Error).name).toBe('TimeoutError');
});
