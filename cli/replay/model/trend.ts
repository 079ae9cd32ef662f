/** Trend: the last 30 days against the 30 before (design/scoring.md, Trend). */
import { greatest, min, sum } from './arithmetic.ts';
import { ladder, TREND_LADDER } from './ladders.ts';
import type { Qualifying, Revenue } from './qualifying.ts';

export interface Trend {
  readonly basis: 'revenue' | 'activity' | 'none';
  readonly percent: bigint | null;
  readonly evenPercent: bigint | null;
  readonly points: bigint;
  readonly revenueTrend: 'up' | 'stable' | 'down' | 'insufficient';
}

export function judgeTrend(
  revenue: readonly Revenue[],
  activity: readonly Qualifying[],
  firstDay: bigint | null,
  today: bigint,
): Trend {
  const recentDays = Array.from({ length: 30 }, (_, back) => today - BigInt(back));
  const priorDays = Array.from({ length: 30 }, (_, back) => today - 30n - BigInt(back));
  const centsOf = (wanted: bigint) => sum(revenue.filter(({ day }) => day === wanted).map(({ cents }) => cents));
  const activityOf = (wanted: bigint) => BigInt(activity.filter(({ day }) => day === wanted).length);

  const oldEnough = firstDay !== null && firstDay <= today - 59n;
  const basis =
    oldEnough && priorDays.some((day) => centsOf(day) > 0n)
      ? 'revenue'
      : oldEnough && priorDays.some((day) => activityOf(day) > 0n)
        ? 'activity'
        : 'none';

  if (basis === 'none') {
    const anyRecent = recentDays.some((day) => centsOf(day) > 0n || activityOf(day) > 0n);
    return { basis, percent: null, evenPercent: null, points: anyRecent ? 600n : 0n, revenueTrend: 'insufficient' };
  }

  const measureOf = basis === 'revenue' ? centsOf : activityOf;
  const recent = recentDays.map(measureOf);
  const prior = priorDays.map(measureOf);
  const bestPriorDay = greatest(prior);
  const percent = min(1000n, (100n * sum(recent)) / sum(prior));
  const evenPercent = min(1000n, (100n * sum(recent.map((x) => min(x, bestPriorDay)))) / sum(prior));
  const points = ladder(TREND_LADDER, evenPercent);
  return {
    basis,
    percent,
    evenPercent,
    points: basis === 'activity' ? min(points, 750n) : points,
    revenueTrend: basis === 'activity' ? 'insufficient' : percent > 125n ? 'up' : percent < 80n ? 'down' : 'stable',
  };
}
