/** Dormancy: the deduction for days without a qualifying event (design/scoring.md, Dormancy). */

import { divide } from './arithmetic.ts';
import { DORMANCY } from './constants.ts';

export interface Dormancy {
  /** Days since the last qualifying event; null when there was none. */
  readonly idleDays: number | null;
  readonly lostHundredths: number;
}

/** Computes the deduction from the sum of the factors, which halves every 30 days after the first 30, linearly in between. */
export function judgeDormancy(sumHundredths: number, lastQualifyingDay: number | undefined, today: number): Dormancy {
  if (lastQualifyingDay === undefined) return { idleDays: null, lostHundredths: 0 };
  const idleDays = today - lastQualifyingDay;
  const beyond = idleDays - DORMANCY.freeDays;
  if (beyond <= 0) return { idleDays, lostHundredths: 0 };
  const { halvingDays } = DORMANCY;
  const halvings = divide(beyond, halvingDays);
  const shrinking = 2 * halvingDays - (beyond % halvingDays);
  const total = divide(sumHundredths * shrinking, 2 * halvingDays * 2 ** halvings);
  return { idleDays, lostHundredths: sumHundredths - total };
}
