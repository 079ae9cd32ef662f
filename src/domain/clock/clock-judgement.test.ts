import { expect, it } from 'vitest';
import { isConfirmedBy, judgeClock, type ClockState } from './clock-judgement.ts';

const NOW = 1_800_000_000_000;
const ANCHOR = { wallMilliseconds: NOW, monotonicMilliseconds: 500 };

interface Case {
  readonly wall?: number;
  readonly elapsed?: number;
  readonly isConfirmed?: boolean;
  readonly headAge?: number;
}

function judge({ wall = NOW, elapsed = 0, isConfirmed = true, headAge }: Case): ClockState {
  const headTimestamp = headAge === undefined ? 0 : NOW / 1000 - headAge;
  const reading = { wallMilliseconds: wall, monotonicMilliseconds: 500 + elapsed };
  return judgeClock(reading, { anchor: ANCHOR, isConfirmed, headTimestamp });
}

it.each<[name: string, given: Case, state: ClockState]>([
  ['a clock that no head has confirmed', { isConfirmed: false }, 'unconfirmed'],
  ['a confirmed clock', { headAge: 5 }, 'good'],
  ['a confirmed clock on a chain that is quiet for hours', { wall: NOW + 9e6, elapsed: 9e6, headAge: 5 }, 'good'],
  ['a clock 30 s behind the newest head', { headAge: -30 }, 'good'],
  ['a clock more than 30 s behind the newest head', { wall: NOW - 1, headAge: -30 }, 'behind'],
  ['an unconfirmed clock behind the newest head', { isConfirmed: false, headAge: -31 }, 'behind'],
  ['a clock 30 s ahead of its expected time', { wall: NOW + 30_000 }, 'good'],
  ['a clock more than 30 s ahead of its expected time', { wall: NOW + 30_001 }, 'doubtful'],
  ['a clock 30 s before its expected time', { wall: NOW - 30_000 }, 'good'],
  ['a clock more than 30 s before its expected time', { wall: NOW - 30_001 }, 'doubtful'],
  ['an unconfirmed clock that jumped', { wall: NOW + 40_000, isConfirmed: false }, 'doubtful'],
  ['a clock that jumped back behind the newest head', { wall: NOW - 9e9, headAge: 0 }, 'behind'],
  ['a clock before 2024', { wall: 1_704_067_199_999 }, 'behind'],
  ['a clock that is not a number', { wall: Number.NaN }, 'doubtful'],
  ['a clock that is infinite', { wall: Number.POSITIVE_INFINITY }, 'doubtful'],
])('judges %s', (_name, given, state) => {
  expect(judge(given)).toBe(state);
});

it.each<[ageSeconds: number, isConfirmed: boolean]>([
  [-31, false],
  [-30, true],
  [0, true],
  [120, true],
  [121, false],
])('decides whether a head %d s old confirms the clock: %s', (ageSeconds, isConfirmed) => {
  expect(isConfirmedBy(NOW, NOW / 1000 - ageSeconds)).toBe(isConfirmed);
});
