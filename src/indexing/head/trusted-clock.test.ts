import { beforeEach, expect, it } from 'vitest';
import type { HeadStep } from '../../ports/main-chain.ts';
import { createTrustedClock } from './trusted-clock.ts';

const START = 1_800_000_000;
const DAY = 86_400;

const time = { wall: 0, monotonic: 0 };
let trusted: ReturnType<typeof createTrustedClock>;

function start(wall = START): void {
  time.wall = wall * 1000;
  time.monotonic = 7;
  trusted = createTrustedClock({ nowMilliseconds: () => time.wall }, { nowMilliseconds: () => time.monotonic });
}

/** Lets time pass on both clocks. */
function pass(seconds: number): void {
  time.wall += seconds * 1000;
  time.monotonic += seconds * 1000;
}

const jump = (seconds: number) => (time.wall += seconds * 1000);
const head = (number: number, timestamp: number) =>
  trusted.advanceHead({ head: { number, timestamp, hash: `0x${number}` } } as HeadStep);
const state = () => trusted.judge().state;

/** Confirms the clock by two heads. */
function confirm(): void {
  head(1, START - 12);
  head(2, START);
}

beforeEach(() => start());

it('is unconfirmed until a head advances', () => {
  expect(state()).toBe('unconfirmed');
  head(1, START);
  head(1, START);
  expect(state()).toBe('unconfirmed');
  head(2, START + 1);
  expect(state()).toBe('good');
});

it('is not confirmed by a shorter fork, but by the head after it', () => {
  head(9, START);
  head(8, START);
  expect(state()).toBe('unconfirmed');
  head(9, START);
  expect(state()).toBe('good');
});

it('is 31 days behind at the start from the first head on, and recovers when it is set', () => {
  start(START - 31 * DAY);
  expect(state()).toBe('unconfirmed');
  head(1, START);
  expect(state()).toBe('behind');
  pass(10);
  jump(31 * DAY);
  expect(state()).toBe('doubtful');
  head(2, START + 10);
  expect(state()).toBe('good');
});

it('is behind a block that is newer than the followed head', () => {
  start(START - 31 * DAY);
  expect(trusted.judge({ timestamp: START }).state).toBe('behind');
  expect(trusted.judge({ timestamp: START - 31 * DAY + 30 }).state).toBe('unconfirmed');
});

it('falls 31 days behind while it runs, and recovers without another head', () => {
  confirm();
  jump(-31 * DAY);
  expect(state()).toBe('behind');
  head(3, START + 12);
  expect(state()).toBe('behind');
  jump(31 * DAY);
  pass(12);
  expect(state()).toBe('good');
});

it('is doubtful while it is ahead, and good again when it is back', () => {
  confirm();
  jump(3_600);
  expect(state()).toBe('doubtful');
  head(3, START + 1);
  expect(state()).toBe('doubtful');
  jump(-3_600);
  expect(state()).toBe('good');
});

it('is doubtful after a suspended host has resumed, until a head advances', () => {
  confirm();
  jump(8 * 3_600);
  expect(state()).toBe('doubtful');
  head(900, START + 8 * 3_600 - 3);
  expect(state()).toBe('good');
});

it('follows a slow drift, until it is too far from the chain', () => {
  confirm();
  let seconds = 0;
  for (; state() === 'good' && seconds < 2 * DAY; seconds += 12) {
    pass(12);
    // 1 % fast.
    jump(0.12);
    head(3 + seconds / 12, START + seconds + 12);
  }
  expect(state()).toBe('doubtful');
  const ahead = time.wall / 1000 - (START + seconds);
  expect(ahead).toBeGreaterThan(120);
  expect(ahead).toBeLessThan(151);
});

it('stays good on a chain with hours between blocks', () => {
  confirm();
  pass(5 * 3_600);
  expect(state()).toBe('good');
  head(3, START + 5 * 3_600);
  pass(5 * 3_600);
  head(3, START + 5 * 3_600);
  expect(state()).toBe('good');
});

it('stays unconfirmed on a chain that is months in the past', () => {
  for (let number = 1; number < 9; number++) {
    head(number, START - 90 * DAY + number * 12);
    pass(12);
  }
  expect(state()).toBe('unconfirmed');
});

it('is behind a chain that is months in the future', () => {
  confirm();
  head(3, START + 90 * DAY);
  expect(state()).toBe('behind');
  head(4, START + 1);
  expect(state()).toBe('good');
});
