/**
 * Which letter does a score have, and when has a machine history enough to get one? (design/scoring.md, Scale, Graduation)
 */

import { divide } from './arithmetic.ts';
import { GRADUATION, HUNDREDTHS, SCALE } from './constants.ts';
import type { RatingState } from './rating-state.ts';

export type RatedLetter = (typeof SCALE)[number][0];

/** `NR`: below the scale or not bonded. `Provisioned`: bonded, but not enough history, or the rating is unavailable. */
export type Letter = RatedLetter | 'NR' | 'Provisioned';

/** The points, rounded half up. */
export function roundScore(totalHundredths: number): number {
  return divide(totalHundredths + HUNDREDTHS / 2, HUNDREDTHS);
}

/** The letter of a rounded score, undefined below the scale. */
export function letterOf(score: number): RatedLetter | undefined {
  return SCALE.find(([, least]) => score >= least)?.[0];
}

/** Days from the first to the last qualifying one; 0 when nothing ever qualified. */
export function qualifyingSpan({ firstQualifyingDay, lastQualifyingDay }: RatingState): number {
  return firstQualifyingDay === undefined || lastQualifyingDay === undefined
    ? 0
    : lastQualifyingDay - firstQualifyingDay;
}

/** Tells whether there is history enough for a letter. Once true, it stays true. */
export function isGraduated(fold: RatingState): boolean {
  return (
    fold.qualifyingEvents >= GRADUATION.events &&
    fold.qualifyingDays >= GRADUATION.days &&
    qualifyingSpan(fold) >= GRADUATION.spanDays
  );
}
