/**
 * How regularly does the machine work? (design/scoring.md, Cadence) Half of the points is for verified events.
 */

import { divide } from './arithmetic.ts';
import { CADENCE } from './constants.ts';
import type { AllAndVerified } from './daily-totals.ts';
import type { CadenceFactor, JudgedFactor } from './factor.ts';
import type { WeekSums } from './recent-weeks.ts';

/** Judges cadence by the weeks and days with a qualifying event, over all and over verified events. */
export function judgeCadence(weeks: AllAndVerified<readonly WeekSums[]>): JudgedFactor<CadenceFactor> {
  const all = countUse(weeks.all);
  const verified = countUse(weeks.verified);
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
    losses: [
      { code: 'cadence_low', lostHundredths: CADENCE.maxHundredths - pointsHundredths - unverified },
      { code: 'cadence_unverified', lostHundredths: unverified },
    ],
  };
}

interface Use {
  readonly weeks: number;
  readonly days: number;
}

function countUse(weeks: readonly WeekSums[]): Use {
  return {
    weeks: weeks.filter(({ days }) => days > 0).length,
    days: weeks.reduce((sum, { days }) => sum + days, 0),
  };
}

function cadenceHundredths({ weeks, days }: Use): number {
  return (
    divide(CADENCE.weeksHundredths * Math.min(weeks, CADENCE.weeks), CADENCE.weeks) +
    divide(CADENCE.daysHundredths * Math.min(days, CADENCE.days), CADENCE.days)
  );
}
