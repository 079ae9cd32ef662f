import { expect, it } from 'vitest';
import { judgeFleetCount } from './alt-fleet.ts';

it.each([
  [7n, 7n, 7, 'whole'],
  [0n, 0n, 0, 'whole'],
  [7n, 7n, 6, 'incomplete'],
  [7n, 7n, 8, 'incomplete'],
  [7n, 8n, 7, 'moved'],
  [8n, 7n, 7, 'moved'],
  [2n ** 64n - 1n, 2n ** 64n - 1n, 7, 'incomplete'],
] as const)('%d before, %d after, %d rows', (before, after, rows, expected) => {
  expect(judgeFleetCount(before, after, rows)).toBe(expected);
});
