/** Deadlines on the real stopwatch. */
import { expect, test } from 'vitest';
import { latestDeadline, startDeadline } from './deadline.ts';

test('startDeadline aborts its signal when the time has passed', async () => {
  const deadline = startDeadline(10, 5);
  expect(deadline.requestMilliseconds).toBe(5);
  await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
  expect(performance.now()).toBeGreaterThanOrEqual(deadline.atMilliseconds - 1);
});

test('latestDeadline returns the deadline that expires last', () => {
  const [short, long, middle] = [startDeadline(100, 1), startDeadline(10_000, 1), startDeadline(5_000, 1)];
  expect(latestDeadline([short, long, middle])).toBe(long);
});
