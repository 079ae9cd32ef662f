/** Weekly sums of the current week and the 13 before it, for revenue and cadence (design/scoring.md, Score). */

import { weekOf } from './utc-day.ts';
import { WINDOW_WEEKS } from './constants.ts';
import { activityOf, centsOf } from './daily-totals.ts';
import type { AllAndVerified } from './daily-totals.ts';
import type { DayBucket } from './rating-state.ts';

export interface WeekSums {
  cents: bigint;
  activity: number;
  /** Days with a qualifying event. */
  days: number;
}

/** Sums the days of each of the 14 weeks, oldest first. */
export function sumRecentWeeks(buckets: readonly DayBucket[], today: number): AllAndVerified<readonly WeekSums[]> {
  const all = createWeeks();
  const verified = createWeeks();
  const firstWeek = weekOf(today) - (WINDOW_WEEKS - 1);
  for (const bucket of buckets) {
    const index = weekOf(bucket.day) - firstWeek;
    if (index < 0) continue;
    const cents = centsOf(bucket);
    const activity = activityOf(bucket);
    addDay(all[index]!, cents.all, activity.all);
    addDay(verified[index]!, cents.verified, activity.verified);
  }
  return { all, verified };
}

function createWeeks(): WeekSums[] {
  return Array.from({ length: WINDOW_WEEKS }, () => ({ cents: 0n, activity: 0, days: 0 }));
}

function addDay(week: WeekSums, cents: bigint, activity: number): void {
  week.cents += cents;
  week.activity += activity;
  if (cents > 0n || activity > 0) week.days += 1;
}
