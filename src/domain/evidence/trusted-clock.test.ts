import { expect, it } from 'vitest';
import { judgeClock } from './trusted-clock.ts';

const NOW = 1_800_000_000_000;

it.each<[name: string, now: number, latest: number, seconds: number | undefined]>([
  ['the first reading', NOW, Number.NEGATIVE_INFINITY, 1_800_000_000],
  ['the last millisecond of a second', NOW + 999, NOW, 1_800_000_000],
  ['the next second', NOW + 1_000, NOW, 1_800_000_001],
  ['a jump ahead', NOW + 10 ** 12, NOW, 2_800_000_000],
  ['30 s behind the latest reading', NOW - 30_000, NOW, 1_799_999_970],
  ['more than 30 s behind', NOW - 30_001, NOW, undefined],
  ['the first second of 2024', 1_704_067_200_000, 0, 1_704_067_200],
  ['the millisecond before', 1_704_067_199_999, 0, undefined],
  ['zero', 0, 0, undefined],
  ['NaN', Number.NaN, NOW, undefined],
  ['infinity', Number.POSITIVE_INFINITY, NOW, undefined],
])('accepts or rejects %s', (_name, now, latest, seconds) => {
  expect(judgeClock(now, latest)).toBe(seconds);
});
