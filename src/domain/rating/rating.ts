/**
 * What is a machine worth trusting? The whole answer of the model: score, letter, factors, reasons, summary
 * (design/scoring.md; http-facts 4). A pure function of the events, the facts and the clock.
 */

import type { BondStatus } from '../machine/bond.ts';
import { dayOf } from './utc-day.ts';
import { judgeCadence } from './cadence-factor.ts';
import { MODEL, WINDOW_DAYS } from './constants.ts';
import type { Dormancy } from './dormancy.ts';
import { judgeDormancy } from './dormancy.ts';
import type { RatingEvent } from './event.ts';
import type { Factor } from './factor.ts';
import type { RatingState } from './rating-state.ts';
import { previewFold } from './rating-state.ts';
import { isFlagPlausible } from './negative-flag.ts';
import type { RateTable } from './rate-table.ts';
import type { GateCode, DeductionCode, Reason } from './reasons.ts';
import { largestDeductionPhrase, listReasons } from './reasons.ts';
import { sumRecentWeeks } from './recent-weeks.ts';
import { judgeRevenue } from './revenue-factor.ts';
import type { Letter } from './scale.ts';
import { isGraduated, letterOf, roundScore } from './scale.ts';
import type { Verdict } from './summary.ts';
import { summarize } from './summary.ts';
import { judgeTenure } from './tenure-factor.ts';
import type { RevenueTrend } from './trend-factor.ts';
import { judgeTrend, revenueTrendOf } from './trend-factor.ts';
import type { TrustFacts } from './trust-factor.ts';
import { judgeTrust } from './trust-factor.ts';

export interface RatingInput extends TrustFacts {
  readonly fold: RatingState;
  /** All events after the fold, pending ones included. To rate at an earlier `now`, both hold a prefix of the events. */
  readonly tail: readonly RatingEvent[];
  /** Of the same configuration as the fold. */
  readonly rates: RateTable;
  readonly bondStatus: BondStatus;
  /** How many older events lie on another chain and cannot be read. */
  readonly priorEvents: bigint;
  /** Why no rating can be computed; undefined when one can. The counts are told all the same. */
  readonly ratingUnavailable: string | undefined;
  /** The clock in Unix seconds; raised to the newest block when it is behind. */
  readonly now: number;
}

/** What is known of a machine whether or not it can be rated. */
interface Counts {
  readonly model: typeof MODEL;
  readonly bondStatus: BondStatus;
  readonly hasNegativeFlag: boolean;
  readonly eventCount: number;
  readonly revenueEventCount: number;
  /** All events but those of revenue, so that the two add up. */
  readonly activityEventCount: number;
  readonly totalRevenueCents: number;
  /** Unix seconds of the newest block with an event; null without events. */
  readonly lastUpdated: number | null;
  /** Whether an amount may still change under a later table, so that the answer must not be kept. */
  readonly hasPending: boolean;
}

/** The answer. Its members and null rules are those of the specification; `score` is 0 for `NR` and `Provisioned`. */
export interface Rating extends Counts {
  readonly letter: Letter;
  readonly score: number;
  readonly isDegraded: boolean;
  /** Hundredths of a cent. Null while the rating is unavailable, like the trend, the total and the dormancy. */
  readonly averageHundredths: number | null;
  readonly revenueTrend: RevenueTrend | null;
  readonly totalHundredths: number | null;
  /** Revenue, cadence, trend, trust, tenure; empty while the rating is unavailable. */
  readonly factors: readonly Factor[];
  readonly dormancy: Dormancy | null;
  readonly reasons: readonly Reason[];
  readonly summary: string;
}

/** Rates a machine. Throws `EventsUnreadable` when the tail does not continue the fold. */
export function rateMachine(input: RatingInput): Rating {
  const { fold, hasPending } = previewFold(input.fold, input.tail, input.rates);
  const now = Math.max(input.now, fold.newestBlockTimestamp ?? input.now);
  const counts = countEvents(fold, hasPending, input, now);
  return input.ratingUnavailable === undefined ? scoreMachine(counts, fold, input, now) : notRatedYet(counts, fold);
}

function countEvents(fold: RatingState, hasPending: boolean, input: RatingInput, now: number): Counts {
  return {
    model: MODEL,
    bondStatus: input.bondStatus,
    hasNegativeFlag: isFlagPlausible(input.negativeFlagAt, now),
    eventCount: fold.nextSeq,
    revenueEventCount: fold.revenueEvents,
    activityEventCount: fold.nextSeq - fold.revenueEvents,
    totalRevenueCents: fold.totalRevenueCents,
    lastUpdated: fold.newestBlockTimestamp ?? null,
    hasPending,
  };
}

function notRatedYet(counts: Counts, fold: RatingState): Rating {
  return {
    ...counts,
    letter: 'Provisioned',
    score: 0,
    isDegraded: false,
    averageHundredths: null,
    revenueTrend: null,
    totalHundredths: null,
    factors: [],
    dormancy: null,
    reasons: [],
    summary: summarize({ kind: 'unavailable' }, fold, false, undefined),
  };
}

function scoreMachine(counts: Counts, fold: RatingState, input: RatingInput, now: number): Rating {
  const today = dayOf(now);
  const weeks = sumRecentWeeks(fold.buckets, today);
  const trend = judgeTrend(fold, today);
  const judged = [
    judgeRevenue(weeks),
    judgeCadence(weeks),
    trend,
    judgeTrust(fold, input, now, today),
    judgeTenure(fold.qualifyingWeeks),
  ];
  const factors: readonly Factor[] = judged.map(({ factor }) => factor);
  const sumHundredths = factors.reduce((sum, { pointsHundredths }) => sum + pointsHundredths, 0);
  const dormancy = judgeDormancy(sumHundredths, fold.lastQualifyingDay, today);
  const totalHundredths = sumHundredths - dormancy.lostHundredths;

  const dormant: { code: DeductionCode; lostHundredths: number } = {
    code: 'dormant',
    lostHundredths: dormancy.lostHundredths,
  };
  const reasons = listReasons(gatesOf(fold, input), [dormant, ...judged.flatMap(({ losses }) => losses)]);
  const verdict = judgeVerdict(fold, input.bondStatus, roundScore(totalHundredths));
  const isDegraded = fold.lastUnconvertedDay !== undefined && fold.lastUnconvertedDay > today - WINDOW_DAYS;
  return {
    ...counts,
    letter: verdict.kind === 'rated' ? verdict.letter : verdict.kind === 'not_graduated' ? 'Provisioned' : 'NR',
    score: verdict.kind === 'rated' ? verdict.score : 0,
    isDegraded,
    averageHundredths: averageOf(fold),
    revenueTrend: revenueTrendOf(trend.factor.measure),
    totalHundredths,
    factors,
    dormancy,
    reasons,
    summary: summarize(verdict, fold, isDegraded, largestDeductionPhrase(reasons)),
  };
}

function judgeVerdict(
  fold: RatingState,
  bondStatus: BondStatus,
  score: number,
): Exclude<Verdict, { kind: 'unavailable' }> {
  if (bondStatus === 'unbonded') return { kind: 'not_bonded' };
  if (!isGraduated(fold)) return { kind: 'not_graduated' };
  const letter = letterOf(score);
  return letter === undefined ? { kind: 'below_scale', score } : { kind: 'rated', score, letter };
}

function gatesOf(fold: RatingState, { bondStatus, priorEvents }: RatingInput): readonly GateCode[] {
  const gates: GateCode[] = [];
  if (bondStatus === 'unbonded') gates.push('not_bonded');
  if (!isGraduated(fold)) gates.push('not_graduated');
  if (priorEvents > 0n) gates.push('history_elsewhere');
  return gates;
}

function averageOf({ totalRevenueCents, qualifyingRevenueEvents }: RatingState): number {
  if (qualifyingRevenueEvents === 0) return 0;
  return Number((100n * BigInt(totalRevenueCents)) / BigInt(qualifyingRevenueEvents));
}
