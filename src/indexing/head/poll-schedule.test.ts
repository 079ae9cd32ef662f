import { describe, expect, it } from 'vitest';
import { createPollSchedule } from './poll-schedule.ts';

const INTERVAL = 1_000;
const GENESIS = 1_700_000_000;

/**
 * Simulates a chain whose blocks become visible a given delay after their timestamps, and a follower that polls by the
 * schedule.
 */
function follow(times: readonly number[], delayOf: (number: number) => number, offsetMilliseconds = 0) {
  const schedule = createPollSchedule(INTERVAL);
  const availableAt = times.map((seconds, number) => (GENESIS + seconds) * 1000 + delayOf(number));
  const end = availableAt.at(-1)!;
  /** Number of polls per block returned, and the age of each block when it was first seen. */
  const polls = times.map(() => 0);
  const lateness = times.map(() => NaN);
  for (let now = availableAt[0]! + 300; now < end;) {
    const number = availableAt.findLastIndex((at) => at <= now);
    const head = { number, hash: `0x${number}`, timestamp: GENESIS + times[number]! };
    if (polls[number] === 0) lateness[number] = now - availableAt[number]!;
    polls[number]! += 1;
    now += schedule.recordHead(head, now + offsetMilliseconds);
  }
  return { polls, lateness };
}

const every = (seconds: number, count: number) => Array.from({ length: count }, (_, i) => i * seconds);
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

describe('the poll schedule', () => {
  it.each([2, 6, 7, 12])('needs one poll per block with a block time of %i s', (seconds) => {
    const { polls, lateness } = follow(every(seconds, 200), (number) => 600 + ((number * 37) % 50));
    // At most every 40th block may be polled too early, which is how the schedule learns that it does not come earlier.
    expect(sum(polls.slice(8, 199))).toBeLessThanOrEqual(191 + 5);
    expect(polls.slice(8, 199).every((count) => count > 0)).toBe(true);
    expect(Math.max(...lateness.slice(8, 199))).toBeLessThanOrEqual(INTERVAL);
  });

  it.each([
    ['a service whose clock is behind', -3_600_000],
    ['a service whose clock is ahead', 3_600_000],
  ])('does the same for %s', (_name, offset) => {
    const times = every(6, 60);
    const delay = () => 1_400;
    expect(follow(times, delay, offset)).toEqual(follow(times, delay));
  });

  it('uses the interval until the blocks have shown a schedule', () => {
    const schedule = createPollSchedule(INTERVAL);
    expect(schedule.recordHead({ number: 1, hash: '0x1', timestamp: GENESIS }, GENESIS * 1000)).toBe(INTERVAL);
    expect(schedule.recordHead({ number: 1, hash: '0x1', timestamp: GENESIS }, GENESIS * 1000 + INTERVAL)).toBe(
      INTERVAL,
    );
  });

  it.each([
    ['at irregular times', [0, 13, 50, 72, 162, 175, 199, 240, 299, 330, 371, 420]],
    ['faster than the interval', every(1, 100).map((second) => Math.floor(second / 3))],
    ['in bursts', Array.from({ length: 40 }, (_, i) => Math.floor(i / 2) * 30 + (i % 2))],
  ])('uses the interval for blocks that come %s', (_name, times) => {
    const schedule = createPollSchedule(INTERVAL);
    const waits = times.map((seconds, number) =>
      schedule.recordHead(
        { number, hash: `0x${number}`, timestamp: GENESIS + seconds },
        (GENESIS + seconds) * 1000 + 500,
      ),
    );
    expect(new Set(waits)).toEqual(new Set([INTERVAL]));
  });

  it('polls at the interval for a missed block and keeps the schedule afterwards', () => {
    const times = every(6, 100).filter((_, i) => i % 10 !== 9);
    const { polls, lateness } = follow(times, () => 700);
    const number = times.indexOf(48 * 6);
    // 6 s late: polled after 0.25 s, 0.5 s, and then every second.
    expect(polls.slice(number, number + 2)).toEqual([8, 1]);
    expect(Math.max(...lateness.slice(8, -1))).toBeLessThanOrEqual(INTERVAL);
  });

  it('recovers after blocks that were late for a while come on time again', () => {
    const { lateness } = follow(every(6, 100), (number) => (number >= 40 && number < 52 ? 4_000 : 500));
    expect(Math.max(...lateness.slice(60, 99))).toBeLessThanOrEqual(2 * INTERVAL);
  });

  it('waits 15 s at most, and again while no block is due', () => {
    const { polls, lateness } = follow(every(60, 20), () => 500);
    expect(new Set(polls.slice(8, 19))).toEqual(new Set([4]));
    expect(Math.max(...lateness.slice(8, 19))).toBeLessThanOrEqual(INTERVAL);
  });

  describe('with the blocks that led to the head', () => {
    const blocks = every(12, 9).map((seconds, number) => ({
      number,
      hash: `0x${number}`,
      timestamp: GENESIS + seconds,
    }));
    const head = blocks.at(-1)!;

    function learn(known = blocks) {
      const schedule = createPollSchedule(INTERVAL);
      schedule.recordBlocks(known);
      return schedule;
    }

    it('waits until the next block may have been mined, and then polls at the interval', () => {
      const schedule = learn();
      const at = head.timestamp * 1000;
      expect(schedule.recordHead(head, at + 2_000)).toBe(10_000);
      expect(schedule.recordHead(head, at + 12_000)).toBe(INTERVAL);
      expect(schedule.recordHead(head, at + 13_000)).toBe(INTERVAL);
      const next = { number: 9, hash: '0x9', timestamp: head.timestamp + 12 };
      expect(schedule.recordHead(next, at + 14_000)).toBe(12_000);
    });

    it.each([
      ['the clock is behind the head', blocks, -3_600_000],
      ['the clock is ahead of the next block', blocks, 3_600_000],
      ['four blocks show three gaps', blocks.slice(-4), 2_000],
      [
        'their times follow no schedule',
        blocks.map((block, i) => ({ ...block, timestamp: head.timestamp - (8 - i) ** 3 })),
        2_000,
      ],
    ])('polls at the interval where %s', (_name, known, ageMilliseconds) => {
      const at = head.timestamp * 1000 + ageMilliseconds;
      expect(learn(known).recordHead(known.at(-1)!, at)).toBe(INTERVAL);
    });

    it('learns nothing from them once its polls have shown a schedule', () => {
      const schedule = createPollSchedule(INTERVAL);
      for (const block of blocks) schedule.recordHead(block, block.timestamp * 1000 + 500);
      schedule.recordBlocks(every(3, 20).map((seconds, number) => ({ ...head, number, timestamp: GENESIS + seconds })));
      const next = { number: 9, hash: '0x9', timestamp: head.timestamp + 12 };
      expect(schedule.recordHead(next, next.timestamp * 1000 + 500)).toBeGreaterThan(11_000);
    });
  });
});
