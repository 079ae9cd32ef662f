/** Rating scale and graduation: the letter of a score, and the history required for one (design/scoring.md, Scale, Graduation). */

import { divide } from './arithmetic.ts';
import { GRADUATION, HUNDREDTHS, SCALE } from './constants.ts';
import type { RatingState } from './rating-state.ts';

export type ScaleLetter = (typeof SCALE)[number][0];

/** `NR`: below the scale or not bonded. `Provisioned`: bonded with too little history, or the rating is unavailable. */
export type RatingLetter = ScaleLetter | 'NR' | 'Provisioned';

/** Converts hundredths to points, rounded half up. */
export function roundScore(totalHundredths: number): number {
  return divide(totalHundredths + HUNDREDTHS / 2, HUNDREDTHS);
}

/** Returns the letter of a rounded score; undefined below the scale. */
export function letterOf(score: number): ScaleLetter | undefined {
  return SCALE.find(([, least]) => score >= least)?.[0];
}

/** Returns the days from the first to the last qualifying day; 0 when there is none. */
export function qualifyingSpan({ firstQualifyingDay, lastQualifyingDay }: RatingState): number {
  return firstQualifyingDay === undefined || lastQualifyingDay === undefined
    ? 0
    : lastQualifyingDay - firstQualifyingDay;
}

/** Returns whether there is enough history for a letter. Once true, it stays true. */
export function isGraduated(state: RatingState): boolean {
  return (
    state.qualifyingEvents >= GRADUATION.events &&
    state.qualifyingDays >= GRADUATION.days &&
    qualifyingSpan(state) >= GRADUATION.spanDays
  );
}
