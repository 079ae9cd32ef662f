/** One-sentence summary of a rating (design/scoring.md, summary). */

import { GRADUATION, LEAST_RATED_SCORE } from './constants.ts';
import type { RatingState } from './rating-state.ts';
import type { ScaleLetter } from './scale.ts';
import { qualifyingSpan } from './scale.ts';

/** Outcome of a rating, in the order of judgement. */
export type Verdict =
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'not_bonded' }
  | { readonly kind: 'not_graduated' }
  | { readonly kind: 'below_scale'; readonly score: number }
  | { readonly kind: 'rated'; readonly score: number; readonly letter: ScaleLetter };

/** Describes the verdict and the largest deduction. */
export function summarize(
  verdict: Verdict,
  state: RatingState,
  isDegraded: boolean,
  largestDeduction: string | undefined,
): string {
  if (verdict.kind === 'unavailable') return 'Not rated yet.';
  const degraded = isDegraded ? ' Some amounts could not be converted to USD.' : '';
  return sentenceOf(verdict, state, largestDeduction) + degraded;
}

function sentenceOf(
  verdict: Exclude<Verdict, { kind: 'unavailable' }>,
  state: RatingState,
  largestDeduction: string | undefined,
): string {
  switch (verdict.kind) {
    case 'not_bonded':
      return 'Not rated: the bond is not active.';
    case 'not_graduated':
      return (
        `Provisioned: ${outOf(state.qualifyingEvents, GRADUATION.events)} qualifying events, ` +
        `${outOf(state.qualifyingDays, GRADUATION.days)} days and ` +
        `${outOf(qualifyingSpan(state), GRADUATION.spanDays)} days of history.`
      );
    case 'below_scale':
      return (
        `Not rated: ${verdict.score} of 100 points, and a rating needs ${LEAST_RATED_SCORE}; ` +
        `largest deduction: ${largestDeduction!}.`
      );
    case 'rated':
      return (
        `Rated ${verdict.letter} with ${verdict.score} of 100 points; ` +
        (largestDeduction === undefined ? 'no deductions.' : `largest deduction: ${largestDeduction}.`)
      );
  }
}

function outOf(count: number, needed: number): string {
  return `${Math.min(count, needed)} of ${needed}`;
}
