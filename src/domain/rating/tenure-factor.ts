/**
 * How long has the machine been in use? Weeks with a qualifying event, over all time (design/scoring.md, Tenure).
 */

import { ladder } from './arithmetic.ts';
import { TENURE } from './constants.ts';
import type { JudgedFactor, TenureFactor } from './factor.ts';

/** Judges tenure by weeks used, not years passed. */
export function judgeTenure(weeks: number): JudgedFactor<TenureFactor> {
  const { maxHundredths } = TENURE;
  const pointsHundredths = ladder(TENURE.steps, weeks);
  return {
    factor: { name: 'tenure', pointsHundredths, maxHundredths, measure: { weeks } },
    losses: [{ code: 'tenure_short', lostHundredths: maxHundredths - pointsHundredths }],
  };
}
