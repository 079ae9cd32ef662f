/** Dormancy: the deduction for days without a qualifying event, by the machine's own rhythm (design/scoring.md, Dormancy). */

import { divide } from './arithmetic.ts';
import { DORMANCY } from './constants.ts';
import type { RatingState } from './rating-state.ts';

export interface Dormancy {
  /** Days since the last qualifying event; null when there was none, as are the next two. */
  readonly idleDays: number | null;
  /** Idle days without a deduction. */
  readonly freeDays: number | null;
  /** Days in which what remains halves. */
  readonly halfDays: number | null;
  readonly lostHundredths: number;
}

type Rhythm = Pick<RatingState, 'firstQualifyingDay' | 'lastQualifyingDay' | 'rhythmDays'>;

/** Hundredths of a day. */
const DAY = 100;

/** Computes the deduction from the sum of the factors, which halves again and again after the free days, linearly in between. */
export function judgeDormancy(sumHundredths: number, rhythm: Rhythm, today: number): Dormancy {
  const { firstQualifyingDay: first, lastQualifyingDay: last, rhythmDays } = rhythm;
  if (first === undefined || last === undefined) {
    return { idleDays: null, freeDays: null, halfDays: null, lostHundredths: 0 };
  }
  const gap = divide(DAY * Math.min(DORMANCY.rhythmDays, last - first + 1), rhythmDays);
  const freeDays = limitDays(DORMANCY.free, gap);
  const halfDays = limitDays(DORMANCY.half, gap);
  const idleDays = today - last;
  const lostHundredths = sumHundredths - remainingOf(sumHundredths, idleDays - freeDays, halfDays);
  return { idleDays, freeDays, halfDays, lostHundredths };
}

function limitDays({ gaps, leastDays, mostDays }: (typeof DORMANCY)['free' | 'half'], gap: number): number {
  return Math.min(mostDays, Math.max(leastDays, divide(gaps * gap, DAY)));
}

function remainingOf(sumHundredths: number, daysBeyond: number, halfDays: number): number {
  if (daysBeyond <= 0) return sumHundredths;
  const halvings = divide(daysBeyond, halfDays);
  const shrinking = 2 * halfDays - (daysBeyond % halfDays);
  return divide(sumHundredths * shrinking, 2 * halfDays * 2 ** halvings);
}
