/** Cadence factor: how regularly the machine has qualifying events (design/scoring.md, Cadence). Verified events earn half of the points. */

import { divide } from './arithmetic.ts';
import { CADENCE } from './constants.ts';
import type { AllAndVerified } from './daily-totals.ts';
import type { CadenceFactor, JudgedFactor } from './factor.ts';
import type { WeekSums } from './recent-weeks.ts';

/** Scores the weeks and days with a qualifying event, once over all events and once over verified ones. */
export function judgeCadence(weeks: AllAndVerified<readonly WeekSums[]>): JudgedFactor<CadenceFactor> {
  const all = countUsage(weeks.all);
  const verified = countUsage(weeks.verified);
  const allHundredths = cadenceHundredths(all);
  const verifiedHundredths = cadenceHundredths(verified);
  const pointsHundredths = divide(allHundredths + verifiedHundredths, 2);
  const unverified = divide(allHundredths - verifiedHundredths, 2);
  return {
    factor: {
      name: 'cadence',
      pointsHundredths,
      maxHundredths: CADENCE.maxHundredths,
      measure: { ...all, verifiedWeeks: verified.weeks, verifiedDays: verified.days },
    },
    deductions: [
      { code: 'cadence_low', lostHundredths: CADENCE.maxHundredths - pointsHundredths - unverified },
      { code: 'cadence_unverified', lostHundredths: unverified },
    ],
  };
}

interface Usage {
  readonly weeks: number;
  readonly days: number;
}

function countUsage(weeks: readonly WeekSums[]): Usage {
  return {
    weeks: weeks.filter(({ days }) => days > 0).length,
    days: weeks.reduce((sum, { days }) => sum + days, 0),
  };
}

function cadenceHundredths({ weeks, days }: Usage): number {
  return (
    divide(CADENCE.weeksHundredths * Math.min(weeks, CADENCE.weeks), CADENCE.weeks) +
    divide(CADENCE.daysHundredths * Math.min(days, CADENCE.days), CADENCE.days)
  );
}
