/** Count of the calls of a day while the clock is right and while it is wrong. */
import { beforeEach, describe, expect, test } from 'vitest';
import { DayQuota } from './day-quota.ts';

const DAY = 86_400_000;
const CALLS_PER_DAY = 1_000;

let clock: { milliseconds: number; nowMilliseconds(): number };
let quota: DayQuota;

beforeEach(() => {
  clock = { milliseconds: 20_000.5 * DAY, nowMilliseconds: () => clock.milliseconds };
  quota = new DayQuota(clock, CALLS_PER_DAY);
});

const passDays = (days: number) => void (clock.milliseconds += days * DAY);
/** Returns whether the calls of today are used up. */
const isUsedUp = () => quota.rate === 0;

test('starts again on the next day', () => {
  quota.countCalls(CALLS_PER_DAY);
  expect(isUsedUp()).toBe(true);
  passDays(1);
  expect(isUsedUp()).toBe(false);
});

describe('a clock', () => {
  test.each([1, 30])('that was ahead by %d days for a moment grants no further calls of today', (days) => {
    quota.countCalls(CALLS_PER_DAY);
    passDays(days);
    expect(isUsedUp()).toBe(false);
    quota.countCalls(1);
    passDays(-days);
    expect(isUsedUp()).toBe(true);
    passDays(1);
    quota.countCalls(CALLS_PER_DAY - 1);
    expect(isUsedUp()).toBe(days === 1);
  });

  test('that was ahead from the start keeps the count when it is set, and starts again on the next day', () => {
    quota.countCalls(CALLS_PER_DAY);
    passDays(-30);
    expect(isUsedUp()).toBe(true);
    passDays(1);
    expect(isUsedUp()).toBe(false);
  });

  test('that is set back for a moment grants no further calls', () => {
    quota.countCalls(CALLS_PER_DAY);
    passDays(-1);
    expect(isUsedUp()).toBe(true);
    passDays(1);
    expect(isUsedUp()).toBe(true);
  });

  test('that jumps between many days leaves the count of the newest ones', () => {
    for (let i = 0; i < 100; i++) {
      passDays(1);
      quota.countCalls(CALLS_PER_DAY);
    }
    passDays(-5);
    expect(isUsedUp()).toBe(true);
  });
});
