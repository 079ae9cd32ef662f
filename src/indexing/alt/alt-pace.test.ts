/** Pace of the first index of the alt chain. */
import { expect, it } from 'vitest';
import type { AltWalkProgress } from '../../ports/indexes.ts';
import { createAltPace } from './alt-pace.ts';

const DAY_SECONDS = 86_400;

function applying(appliedSlot: number, targetSlot: number): AltWalkProgress {
  return { phase: 'applying', appliedSlot, targetSlot, listedDownToSlot: undefined };
}

function openPace() {
  const time = { nowMilliseconds: 0 };
  const pace = createAltPace({ nowMilliseconds: () => time.nowMilliseconds });
  return { time, pace };
}

it('names a first index that takes more than a day, once its pace is known', () => {
  const { time, pace } = openPace();
  expect(pace.judge(applying(1_000, 1_000_000))).toBeUndefined();
  time.nowMilliseconds = 59_000;
  expect(pace.judge(applying(1_100, 1_000_000))).toBeUndefined();
  time.nowMilliseconds = 60_000;
  expect(pace.judge(applying(1_100, 1_000_000))).toEqual({ kind: 'alt-first-index-slow', seconds: 9_989 * 60 });
});

it.each([
  ['is fast enough', applying(1_100, 1_000 + (100 * DAY_SECONDS) / 60)],
  ['has applied nothing since', applying(1_000, 1_000_000)],
  ['follows the chain', { ...applying(1_100, 1_000_000), phase: 'following' as const }],
  ['has no progress', undefined],
])('names nothing where the index %s', (_, progress) => {
  const { time, pace } = openPace();
  pace.judge(applying(1_000, 1_000_000));
  time.nowMilliseconds = 60_000;
  expect(pace.judge(progress)).toBeUndefined();
});
