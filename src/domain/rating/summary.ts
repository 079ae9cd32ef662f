/**
 * What is the rating in one sentence? (design/scoring.md, summary)
 */

import { GRADUATION, LEAST_RATED_SCORE } from './constants.ts';
import type { RatingState } from './rating-state.ts';
import type { RatedLetter } from './scale.ts';
import { qualifyingSpan } from './scale.ts';

/** What an answer came to, in the order of judgement. */
export type Verdict =
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'not_bonded' }
  | { readonly kind: 'not_graduated' }
  | { readonly kind: 'below_scale'; readonly score: number }
  | { readonly kind: 'rated'; readonly score: number; readonly letter: RatedLetter };

/** Says what the verdict is, and what most points were lost to. */
export function summarize(
  verdict: Verdict,
  fold: RatingState,
  isDegraded: boolean,
  largestLoss: string | undefined,
): string {
  if (verdict.kind === 'unavailable') return 'Not rated yet.';
  const degraded = isDegraded ? ' Some amounts could not be converted to USD.' : '';
  return sentenceOf(verdict, fold, largestLoss) + degraded;
}

function sentenceOf(
  verdict: Exclude<Verdict, { kind: 'unavailable' }>,
  fold: RatingState,
  largestLoss: string | undefined,
): string {
  switch (verdict.kind) {
    case 'not_bonded':
      return 'Not rated: the bond is not active.';
    case 'not_graduated':
      return (
        `Provisioned: ${outOf(fold.qualifyingEvents, GRADUATION.events)} qualifying events, ` +
        `${outOf(fold.qualifyingDays, GRADUATION.days)} days and ` +
        `${outOf(qualifyingSpan(fold), GRADUATION.spanDays)} days of history.`
      );
    case 'below_scale':
      return (
        `Not rated: ${verdict.score} of 100 points, and a rating needs ${LEAST_RATED_SCORE}; ` +
        `most is lost to ${largestLoss}.`
      );
    case 'rated':
      return (
        `Rated ${verdict.letter} with ${verdict.score} of 100 points; ` +
        (largestLoss === undefined ? 'nothing is lost.' : `most is lost to ${largestLoss}.`)
      );
  }
}

function outOf(count: number, needed: number): string {
  return `${Math.min(count, needed)} of ${needed}`;
}
