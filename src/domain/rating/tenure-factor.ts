/** Tenure factor: weeks with a qualifying event, over all time (design/scoring.md, Tenure). */

import { ladder } from './arithmetic.ts';
import { TENURE } from './constants.ts';
import type { JudgedFactor, TenureFactor } from './factor.ts';

/** Scores the number of weeks with a qualifying event. */
export function judgeTenure(weeks: number): JudgedFactor<TenureFactor> {
  const { maxHundredths } = TENURE;
  const pointsHundredths = ladder(TENURE.steps, weeks);
  return {
    factor: { name: 'tenure', pointsHundredths, maxHundredths, measure: { weeks } },
    deductions: [{ code: 'tenure_short', lostHundredths: maxHundredths - pointsHundredths }],
  };
}
