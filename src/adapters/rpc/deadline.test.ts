import { expect, test } from 'vitest';
import { latestDeadline, startDeadline } from './deadline.ts';

test('a deadline aborts when its time is over, and not before somebody waits', async () => {
  const deadline = startDeadline(10, 5);
  expect(deadline.requestMilliseconds).toBe(5);
  await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
  expect(performance.now()).toBeGreaterThanOrEqual(deadline.atMilliseconds - 1);
});

test('shared work has the time of who waits longest', () => {
  const [short, long, middle] = [startDeadline(100, 1), startDeadline(10_000, 1), startDeadline(5_000, 1)];
  expect(latestDeadline([short, long, middle])).toBe(long);
});
