/**
 * Trend factor: the last 30 days compared with the 30 before (design/scoring.md, Trend). Growth earns nothing extra, and each recent day is
 * capped at the best prior day.
 */

import { ladder } from './arithmetic.ts';
import { TREND } from './constants.ts';
import { activityOf, centsOf } from './daily-totals.ts';
import type { JudgedFactor, TrendFactor, TrendMeasure } from './factor.ts';
import type { DayBucket, RatingState } from './rating-state.ts';

export type RevenueTrend = 'up' | 'stable' | 'down' | 'insufficient';

interface Periods {
  readonly recent: readonly DayBucket[];
  readonly prior: readonly DayBucket[];
}

type Comparison = Exclude<TrendMeasure, { basis: 'none' }>;

const NO_BASIS: TrendMeasure = { basis: 'none', percent: null, evenPercent: null };

const DEDUCTION_CODES_BY_BASIS = {
  revenue: 'trend_below',
  activity: 'trend_without_revenue',
  none: 'trend_unknown',
} as const satisfies Record<TrendMeasure['basis'], string>;

/** Scores the trend of revenue, else of activity; there is none for a young machine or without anything to compare with. */
export function judgeTrend(state: RatingState, today: number): JudgedFactor<TrendFactor> {
  const periods = selectPeriods(state.buckets, today);
  const measure = compare(state, periods, today);
  const pointsHundredths = trendHundredths(measure, periods);
  const { maxHundredths } = TREND;
  return {
    factor: { name: 'trend', pointsHundredths, maxHundredths, measure },
    deductions: [{ code: DEDUCTION_CODES_BY_BASIS[measure.basis], lostHundredths: maxHundredths - pointsHundredths }],
  };
}

/** Classifies a trend of revenue; other bases are `insufficient`. */
export function revenueTrendOf({ basis, percent }: TrendMeasure): RevenueTrend {
  if (basis !== 'revenue') return 'insufficient';
  if (percent > TREND.upAbovePercent) return 'up';
  return percent < TREND.downBelowPercent ? 'down' : 'stable';
}

function selectPeriods(buckets: readonly DayBucket[], today: number): Periods {
  const firstRecent = today - TREND.periodDays + 1;
  const firstPrior = firstRecent - TREND.periodDays;
  return {
    recent: buckets.filter(({ day }) => day >= firstRecent),
    prior: buckets.filter(({ day }) => day >= firstPrior && day < firstRecent),
  };
}

function compare({ firstQualifyingDay }: RatingState, periods: Periods, today: number): TrendMeasure {
  const firstPrior = today - 2 * TREND.periodDays + 1;
  if (firstQualifyingDay === undefined || firstQualifyingDay > firstPrior) return NO_BASIS;
  return (
    comparePeriods('revenue', periods, (bucket) => centsOf(bucket).all) ??
    comparePeriods('activity', periods, (bucket) => BigInt(activityOf(bucket).all)) ??
    NO_BASIS
  );
}

/** Returns undefined when the measured sum of the prior days is 0. */
function comparePeriods(
  basis: Comparison['basis'],
  periods: Periods,
  amountOf: (bucket: DayBucket) => bigint,
): Comparison | undefined {
  const prior = periods.prior.map(amountOf);
  const recent = periods.recent.map(amountOf);
  const priorSum = sum(prior);
  if (priorSum === 0n) return undefined;
  const best = prior.reduce((a, b) => (a > b ? a : b));
  return {
    basis,
    percent: percentOf(sum(recent), priorSum),
    evenPercent: percentOf(sum(recent.map((amount) => (amount < best ? amount : best))), priorSum),
  };
}

function trendHundredths(measure: TrendMeasure, { recent }: Periods): number {
  if (measure.basis === 'none') return recent.length > 0 ? TREND.unknownHundredths : 0;
  const points = ladder(TREND.steps, measure.evenPercent);
  return measure.basis === 'activity' ? Math.min(points, TREND.maxActivityHundredths) : points;
}

function percentOf(part: bigint, whole: bigint): number {
  const percent = (100n * part) / whole;
  return percent > TREND.maxPercent ? TREND.maxPercent : Number(percent);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((a, b) => a + b, 0n);
}
