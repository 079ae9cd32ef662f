/** Tests the weeks of a history. */
import { expect, it } from 'vitest';
import type { HistoryPoint } from '../parts/wire.ts';
import { isRatedPoint, toWeeks } from './history-weeks.ts';

/** Days of May; the revenue of each is its day of the month. */
const toDays = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => ({ day: `2026-05-${String(at + 1).padStart(2, '0')}`, mcr: 'A', revenue: at + 1 }) as HistoryPoint,
  );
const weeksOf = (count: number) => toWeeks(toDays(count)).map(({ end, revenue }) => [end.day, revenue]);

it('counts weeks back from the last day', () => {
  expect(weeksOf(14)).toEqual([
    ['2026-05-07', 28],
    ['2026-05-14', 77],
  ]);
});

it('leaves the days that are over to a shorter oldest week', () => {
  expect(weeksOf(9)).toEqual([
    ['2026-05-02', 3],
    ['2026-05-09', 42],
  ]);
  expect(weeksOf(1)).toEqual([['2026-05-01', 1]]);
});

it('has no week without a day', () => {
  expect(weeksOf(0)).toEqual([]);
});

it.each([
  ['BB', true],
  ['NR', false],
  ['Provisioned', false],
] as const)('counts a day with the rating %s as rated: %s', (mcr, isRated) => {
  expect(isRatedPoint({ ...toDays(1)[0]!, mcr })).toBe(isRated);
});
