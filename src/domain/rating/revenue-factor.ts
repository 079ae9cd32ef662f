/** Revenue factor: weekly earnings (design/scoring.md, Revenue). Verified revenue earns half of the points. */

import { divide, ladder } from './arithmetic.ts';
import { COUNTED_WEEKS, REVENUE } from './constants.ts';
import { clampToSafe } from './daily-totals.ts';
import type { AllAndVerified } from './daily-totals.ts';
import type { JudgedFactor, RevenueFactor } from './factor.ts';
import type { WeekSums } from './recent-weeks.ts';

/** Scores 14 weeks without the lowest one, once over all events and once over verified ones. */
export function judgeRevenue(weeks: AllAndVerified<readonly WeekSums[]>): JudgedFactor<RevenueFactor> {
  const all = bestWeeksHundredths(weeks.all);
  const verified = bestWeeksHundredths(weeks.verified);
  const pointsHundredths = divide(all + verified, 2 * COUNTED_WEEKS);
  const unverified = divide(all - verified, 2 * COUNTED_WEEKS);
  return {
    factor: {
      name: 'revenue',
      pointsHundredths,
      maxHundredths: REVENUE.maxHundredths,
      measure: { usdCents: clampToSafe(sumCents(weeks.all)), verifiedUsdCents: clampToSafe(sumCents(weeks.verified)) },
    },
    deductions: [
      { code: 'revenue_low', lostHundredths: REVENUE.maxHundredths - pointsHundredths - unverified },
      { code: 'revenue_unverified', lostHundredths: unverified },
    ],
  };
}

function bestWeeksHundredths(weeks: readonly WeekSums[]): number {
  const points = weeks.map(weekHundredths);
  return points.reduce((sum, week) => sum + week) - Math.min(...points);
}

function weekHundredths({ cents, activity }: WeekSums): number {
  return Math.max(ladder(REVENUE.centsSteps, clampToSafe(cents)), ladder(REVENUE.activitySteps, activity));
}

function sumCents(weeks: readonly WeekSums[]): bigint {
  return weeks.reduce((sum, { cents }) => sum + cents, 0n);
}
