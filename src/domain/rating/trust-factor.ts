/** Trust factor: trust levels of the last 180 days, weighted by value (design/scoring.md, Trust). */

import { divide } from './arithmetic.ts';
import { TRUST, TRUST_LEVELS, WINDOW_DAYS } from './constants.ts';
import { countedActivity } from './daily-totals.ts';
import type { JudgedFactor, TrustFactor, TrustMeasure, TrustSource } from './factor.ts';
import type { DayBucket, RatingState } from './rating-state.ts';
import { isFlagInForce } from './negative-flag.ts';

/** Trust settings that administrators recorded for a machine. */
export interface TrustFacts {
  /** Unix seconds (any uint256), 0 for none. */
  readonly negativeFlagAt: bigint;
  /** Percent; above 100 counts as 100. */
  readonly trustOverride: number | undefined;
}

const DEDUCTION_CODES_BY_SOURCE = {
  flag: 'flagged',
  override: 'trust_override',
  none: 'trust_none',
  events: 'trust_low',
} as const satisfies Record<TrustSource, string>;

/** Scores trust by the first that applies: a flag in force, an override, no events, the events. */
export function judgeTrust(
  state: RatingState,
  facts: TrustFacts,
  now: number,
  today: number,
): JudgedFactor<TrustFactor> {
  const measure = measureTrust(state, facts, now, today);
  const { maxHundredths } = TRUST;
  const pointsHundredths = divide(maxHundredths * measure.percentHundredths, TRUST.fullHundredths);
  return {
    factor: { name: 'trust', pointsHundredths, maxHundredths, measure },
    deductions: [{ code: DEDUCTION_CODES_BY_SOURCE[measure.source], lostHundredths: maxHundredths - pointsHundredths }],
  };
}

function measureTrust(state: RatingState, facts: TrustFacts, now: number, today: number): TrustMeasure {
  if (isFlagInForce(facts.negativeFlagAt, now)) return { source: 'flag', percentHundredths: 0 };
  if (facts.trustOverride !== undefined) {
    const percent = Math.min(facts.trustOverride, TRUST.maxOverride);
    return { source: 'override', percentHundredths: percent * divide(TRUST.fullHundredths, TRUST.maxOverride) };
  }
  const recent = state.buckets.filter(({ day }) => day > today - WINDOW_DAYS);
  if (recent.length === 0) return { source: 'none', percentHundredths: 0 };
  return { source: 'events', percentHundredths: raiseByTenure(weightedMean(recent), state.qualifyingWeeks) };
}

/** Computes the mean of the levels' percentages, in hundredths of a percent, weighted by value. */
function weightedMean(buckets: readonly DayBucket[]): number {
  const weights = [0, 0, 0];
  for (const bucket of buckets) {
    const activity = countedActivity(bucket);
    for (const level of TRUST_LEVELS) {
      weights[level]! += bucket.levels[level].weight + TRUST.activityWeight * activity[level];
    }
  }
  const weighted = TRUST_LEVELS.map((level) => BigInt(weights[level]!) * BigInt(TRUST.levelHundredths[level]));
  const total = weights.reduce((a, b) => a + b);
  return Number(weighted.reduce((a, b) => a + b) / BigInt(total));
}

function raiseByTenure(percentHundredths: number, tenureWeeks: number): number {
  if (tenureWeeks < TRUST.tenureWeeks) return percentHundredths;
  return Math.max(percentHundredths, Math.min(TRUST.tenureRaiseLimit, percentHundredths + TRUST.tenureRaise));
}
