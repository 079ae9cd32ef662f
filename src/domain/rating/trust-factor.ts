/** Trust factor: classes of evidence of the last 180 days, weighted by value (design/scoring.md, Trust). */

import { divide } from './arithmetic.ts';
import { EVIDENCE_CLASSES, TRUST, WINDOW_DAYS } from './constants.ts';
import { clampToSafe, countedActivity } from './daily-totals.ts';
import type { EvidenceClass } from './event.ts';
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
  const recent = state.buckets.filter(({ day }) => day > today - WINDOW_DAYS);
  const measure: TrustMeasure = {
    ...weighTrust(recent, state.qualifyingWeeks, facts, now),
    declaredUsdCents: sumCents(recent, 'declared'),
    paidUsdCents: sumCents(recent, 'paid'),
    attestedUsdCents: sumCents(recent, 'attested'),
  };
  const { maxHundredths } = TRUST;
  const pointsHundredths = divide(maxHundredths * measure.percentHundredths, TRUST.fullHundredths);
  return {
    factor: { name: 'trust', pointsHundredths, maxHundredths, measure },
    deductions: [{ code: DEDUCTION_CODES_BY_SOURCE[measure.source], lostHundredths: maxHundredths - pointsHundredths }],
  };
}

function weighTrust(
  recent: readonly DayBucket[],
  tenureWeeks: number,
  facts: TrustFacts,
  now: number,
): Pick<TrustMeasure, 'source' | 'percentHundredths'> {
  if (isFlagInForce(facts.negativeFlagAt, now)) return { source: 'flag', percentHundredths: 0 };
  if (facts.trustOverride !== undefined) {
    const percent = Math.min(facts.trustOverride, TRUST.maxOverride);
    return { source: 'override', percentHundredths: percent * divide(TRUST.fullHundredths, TRUST.maxOverride) };
  }
  if (recent.length === 0) return { source: 'none', percentHundredths: 0 };
  return { source: 'events', percentHundredths: raiseByTenure(weightedMean(recent), tenureWeeks) };
}

function sumCents(buckets: readonly DayBucket[], evidence: EvidenceClass): number {
  return clampToSafe(buckets.reduce((sum, { classes }) => sum + classes[evidence].cents, 0n));
}

/** Computes the mean of the classes' percentages, in hundredths of a percent, weighted by value. */
function weightedMean(buckets: readonly DayBucket[]): number {
  let total = 0n;
  let weighted = 0n;
  for (const bucket of buckets) {
    const activity = countedActivity(bucket);
    for (const evidence of EVIDENCE_CLASSES) {
      const weight = BigInt(bucket.classes[evidence].weight + TRUST.activityWeight * activity[evidence]);
      total += weight;
      weighted += weight * BigInt(TRUST.classHundredths[evidence]);
    }
  }
  return Number(weighted / total);
}

function raiseByTenure(percentHundredths: number, tenureWeeks: number): number {
  if (tenureWeeks < TRUST.tenureWeeks) return percentHundredths;
  return Math.max(percentHundredths, Math.min(TRUST.tenureRaiseLimit, percentHundredths + TRUST.tenureRaise));
}
