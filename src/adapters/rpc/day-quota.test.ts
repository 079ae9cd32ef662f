/** Calls of a day: what each kind of work may use of them, and their count while the clock is wrong. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ChainWork } from '../../ports/runtime.ts';
import type { CallPurpose } from './call-budget.ts';
import { DayQuota } from './day-quota.ts';

const DAY = 86_400_000;
const CALLS_PER_DAY = 1_000;

const of = (work: ChainWork, isKnown = true): CallPurpose => ({ work, isKnown });
const CALLER: ChainWork = { kind: 'caller', networks: ['192.0.2.1'] };
const HEAD = of({ kind: 'head' });
const INDEX = of({ kind: 'index' });
const PROOF = of({ kind: 'proof' });
const KNOWN = of(CALLER);
const UNKNOWN = of(CALLER, false);

let clock: { milliseconds: number; nowMilliseconds(): number };
let quota: DayQuota;

beforeEach(() => {
  clock = { milliseconds: 20_000.5 * DAY, nowMilliseconds: () => clock.milliseconds };
  quota = new DayQuota(clock, CALLS_PER_DAY);
});

const passDays = (days: number) => void (clock.milliseconds += days * DAY);
/** Returns whether the calls of today are used up. */
const isUsedUp = () => !quota.allows(1, HEAD);
const use = (calls: number) => quota.countCalls(calls, false, 0);

test('starts again on the next day', () => {
  use(CALLS_PER_DAY);
  expect(isUsedUp()).toBe(true);
  passDays(1);
  expect(isUsedUp()).toBe(false);
});

describe('a clock', () => {
  test.each([1, 30])('that was ahead by %d days for a moment grants no further calls of today', (days) => {
    use(CALLS_PER_DAY);
    passDays(days);
    expect(isUsedUp()).toBe(false);
    use(1);
    passDays(-days);
    expect(isUsedUp()).toBe(true);
    passDays(1);
    use(CALLS_PER_DAY - 1);
    expect(isUsedUp()).toBe(days === 1);
  });

  test('that was ahead from the start keeps the count when it is set, and starts again on the next day', () => {
    use(CALLS_PER_DAY);
    passDays(-30);
    expect(isUsedUp()).toBe(true);
    passDays(1);
    expect(isUsedUp()).toBe(false);
  });

  test('that is set back for a moment grants no further calls', () => {
    use(CALLS_PER_DAY);
    passDays(-1);
    expect(isUsedUp()).toBe(true);
    passDays(1);
    expect(isUsedUp()).toBe(true);
  });

  test('that jumps between many days leaves the count of the newest ones', () => {
    for (let i = 0; i < 100; i++) {
      passDays(1);
      use(CALLS_PER_DAY);
    }
    passDays(-5);
    expect(isUsedUp()).toBe(true);
  });
});

/** Returns how many calls the purpose may use now. */
function countAllowed(purpose: CallPurpose): number {
  let calls = 0;
  while (quota.allows(1, purpose)) {
    use(1);
    calls += 1;
  }
  return calls;
}

describe('at noon', () => {
  test.each([
    ['proof', 'half', PROOF, 501],
    ['lookups of ids that may not exist', 'three quarters', UNKNOWN, 751],
    ['reads of known machines', 'all but a twentieth', KNOWN, 951],
    ['the index', 'all but a twentieth', INDEX, 951],
    ['the head', 'all', HEAD, 1_000],
  ])('%s may use %s of the calls of the day', (_who, _part, purpose, expected) => {
    expect(countAllowed(purpose)).toBe(expected);
  });

  test('each may use as much more as the afternoon passes', () => {
    expect(countAllowed(UNKNOWN)).toBe(751);
    passDays(0.25);
    expect(countAllowed(UNKNOWN)).toBe(125);
  });

  test('more calls than are left are refused', () => {
    use(995);
    expect([quota.allows(5, HEAD), quota.allows(6, HEAD)]).toEqual([true, false]);
  });
});

describe('what the head needs until midnight', () => {
  /** Measures calls of the head, which are sent evenly for this time. */
  function sendHead(calls: number, hours: number): void {
    for (let i = 0; i <= calls; i++) quota.countCalls(Number(i > 0), true, (i * hours * 3_600_000) / calls);
  }

  test('is left to it by the index and by callers', () => {
    sendHead(100, 6);
    passDays(0.25);
    // A quarter of the day is left, for which the head needs 100 calls of the 875 and 975 that are released.
    expect(countAllowed(UNKNOWN)).toBeCloseTo(875 - 100 - 100, -1);
    expect(countAllowed(KNOWN)).toBeCloseTo(100, -1);
    expect(quota.allows(100, HEAD)).toBe(true);
  });

  test('is at most half of the day', () => {
    sendHead(200, 0.1);
    expect(countAllowed(KNOWN)).toBe(951 - 500 - 200);
  });
});

test('returns the seconds until calls are allowed', () => {
  expect(quota.secondsUntil(1, UNKNOWN)).toBe(0);
  use(750);
  // Half of the calls of a day are released evenly.
  expect(quota.secondsUntil(5, UNKNOWN)).toBe(0);
  use(1);
  expect(quota.secondsUntil(5, UNKNOWN)).toBeCloseTo((6 * 86_400) / 500);
  expect(quota.secondsUntil(1_000, UNKNOWN)).toBe(43_200);
});
