/** Size limits learned from acceptance and refusal. */
import { expect, test } from 'vitest';
import { LearnedLimit } from './learned-limit.ts';

/** Uses the limit as often as given with a node that accepts up to `accepted`; returns the number of refusals. */
function use(limit: LearnedLimit, accepted: number, times: number): number {
  let refusals = 0;
  for (let i = 0; i < times; i++) {
    const { size } = limit;
    if (size <= accepted) limit.recordSuccess(size);
    else {
      refusals += 1;
      limit.recordRefusal(size);
    }
  }
  return refusals;
}

test('starts with the maximum and stays there without a refusal', () => {
  const limit = new LearnedLimit(100);
  expect([use(limit, 1_000, 50), limit.size]).toEqual([0, 100]);
});

test.each([1, 2, 3, 10, 64, 99])('finds a limit of %i with few refusals', (accepted) => {
  const limit = new LearnedLimit(100);
  expect(use(limit, accepted, 4_000)).toBeLessThan(20);
  expect(limit.size).toBe(accepted);
});

test('finds a limit that was raised, and one that was lowered', () => {
  const limit = new LearnedLimit(100);
  use(limit, 10, 4_000);
  use(limit, 100, 8_000);
  expect(limit.size).toBe(100);
  use(limit, 5, 4_000);
  expect(limit.size).toBe(5);
});

test('continues from stored bounds, and ignores bounds that contradict each other', () => {
  expect(new LearnedLimit(100, { passed: 10, refused: 11 }).size).toBe(10);
  expect(new LearnedLimit(100, { passed: 0, refused: 11 }).size).toBe(6);
  expect(new LearnedLimit(100, { passed: 50, refused: 11 }).size).toBe(10);
  expect(new LearnedLimit(100, { passed: 50, refused: 1 }).size).toBe(100);
  expect(new LearnedLimit(100, { passed: 50, refused: 200 }).size).toBe(100);
});

test('soon leaves stored bounds that are far too low', () => {
  const limit = new LearnedLimit(100, { passed: 1, refused: 2 });
  for (let i = 0; i < 64; i++) limit.recordSuccess(limit.size);
  expect(limit.size).toBe(100);
});

test('counts the second timeout in a row as a refusal', () => {
  const limit = new LearnedLimit(100);
  limit.recordUnclearRefusal(100);
  limit.recordSuccess(100);
  limit.recordUnclearRefusal(100);
  expect(limit.size).toBe(100);
  limit.recordUnclearRefusal(100);
  expect(limit.size).toBe(50);
});
