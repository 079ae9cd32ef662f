/**
 * Rating of a machine: score, letter, factors, reasons and summary (design/scoring.md; http-facts 4). A pure function of the events, the
 * facts and the clock.
 */

import type { BondStatus } from '../machine/bond.ts';
import { dayOf } from './utc-day.ts';
import type { Anchor } from './anchor.ts';
import { judgeAnchor } from './anchor.ts';
import { judgeCadence } from './cadence-factor.ts';
import { MODEL, WINDOW_DAYS } from './constants.ts';
import type { Dormancy } from './dormancy.ts';
import { judgeDormancy } from './dormancy.ts';
import type { RatingEvent } from './event.ts';
import type { Factor } from './factor.ts';
import type { RatingState } from './rating-state.ts';
import { changeHands, previewFold } from './rating-state.ts';
import { isFlagInForce, isFlagPlausible } from './negative-flag.ts';
import type { RateTable } from './rate-table.ts';
import { applyPaidMoves, type PaidMove } from './paid/paid-moves.ts';
import type { NoticeCode, Reason } from './reasons.ts';
import { largestDeductionPhrase, listReasons } from './reasons.ts';
import { sumRecentWeeks } from './recent-weeks.ts';
import { judgeRevenue } from './revenue-factor.ts';
import type { RatingLetter } from './scale.ts';
import { isGraduated, letterOf, roundScore } from './scale.ts';
import type { Verdict } from './summary.ts';
import { summarize } from './summary.ts';
import { judgeTenure } from './tenure-factor.ts';
import type { RevenueTrend } from './trend-factor.ts';
import { judgeTrend, revenueTrendOf } from './trend-factor.ts';
import type { TrustFacts } from './trust-factor.ts';
import { judgeTrust } from './trust-factor.ts';

export interface RatingInput extends TrustFacts {
  readonly state: RatingState;
  /** All events after `state`, pending ones included. To rate at an earlier `now`, both together must be a prefix of the events. */
  readonly tail: readonly RatingEvent[];
  /** Block time of the first change of hands after the newest event; undefined without one. */
  readonly changedHandsAfter: number | undefined;
  /** Moves of the verdicts on `state` and `tail`, without those that a change of hands ended. */
  readonly paidMoves: readonly PaidMove[];
  /** Whether the operator's identity is verified and it accepted the machine. */
  readonly operatorVerified: boolean;
  /** Rates of the same configuration as `state`. */
  readonly rates: RateTable;
  readonly bondStatus: BondStatus;
  /** Number of older events that are on another chain and cannot be read. */
  readonly priorEvents: bigint;
  /** Why no rating can be computed; undefined when one can. The counts are returned in any case. */
  readonly ratingUnavailable: string | undefined;
  /** The clock in Unix seconds; raised to the newest block when it is behind. */
  readonly now: number;
}

/** Members that are available whether or not the machine can be rated. */
interface Counts {
  readonly model: typeof MODEL;
  readonly bondStatus: BondStatus;
  readonly hasNegativeFlag: boolean;
  readonly eventCount: number;
  readonly revenueEventCount: number;
  /** All events that are not revenue, so that both counts add up to `eventCount`. */
  readonly activityEventCount: number;
  readonly totalRevenueCents: number;
  /** Unix seconds of the newest block with an event; null without events. */
  readonly lastUpdated: number | null;
  /** Number of events in the blocks of 180 days that have a verdict. */
  readonly verdictCount: number;
  /** Whether an amount may still change under a later rate table, so that the rating must not be cached. */
  readonly hasPending: boolean;
}

/** A rating, with the members and null rules of the specification; `score` is 0 for `NR` and `Provisioned`. */
export interface Rating extends Counts {
  readonly letter: RatingLetter;
  readonly score: number;
  readonly isDegraded: boolean;
  /** Hundredths of a cent. Null while the rating is unavailable, as are the trend, the total, dormancy and anchor. */
  readonly averageHundredths: number | null;
  readonly revenueTrend: RevenueTrend | null;
  readonly totalHundredths: number | null;
  /** Revenue, cadence, trend, trust, tenure; empty while the rating is unavailable. */
  readonly factors: readonly Factor[];
  readonly dormancy: Dormancy | null;
  readonly anchor: Anchor | null;
  readonly reasons: readonly Reason[];
  readonly summary: string;
}

/** Rates a machine. Throws `EventsUnreadable` when the tail does not continue the state. */
export function rateMachine(input: RatingInput): Rating {
  const preview = previewFold(input.state, input.tail, input.rates);
  const { hasPending } = preview;
  const state =
    input.changedHandsAfter === undefined ? applyPaidMoves(preview.state, input.paidMoves) : changeHands(preview.state);
  const now = Math.max(input.now, state.newestBlockTimestamp ?? input.now);
  const counts = countEvents(state, hasPending, input, now);
  return input.ratingUnavailable === undefined
    ? scoreMachine(counts, state, input, now)
    : unavailableRating(counts, state);
}

function countEvents(state: RatingState, hasPending: boolean, input: RatingInput, now: number): Counts {
  return {
    model: MODEL,
    bondStatus: input.bondStatus,
    hasNegativeFlag: isFlagPlausible(input.negativeFlagAt, now),
    eventCount: state.nextSeq,
    revenueEventCount: state.revenueEvents,
    activityEventCount: state.nextSeq - state.revenueEvents,
    totalRevenueCents: state.totalRevenueCents,
    lastUpdated: state.newestBlockTimestamp ?? null,
    verdictCount: countVerdicts(state, dayOf(now)),
    hasPending,
  };
}

function countVerdicts({ verdictDays }: RatingState, today: number): number {
  return verdictDays.reduce((sum, { day, count }) => (day > today - WINDOW_DAYS ? sum + count : sum), 0);
}

function unavailableRating(counts: Counts, state: RatingState): Rating {
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
    anchor: null,
    reasons: [],
    summary: summarize({ kind: 'unavailable' }, state, false, undefined),
  };
}

function scoreMachine(counts: Counts, state: RatingState, input: RatingInput, now: number): Rating {
  const today = dayOf(now);
  const weeks = sumRecentWeeks(state.buckets, today);
  const trend = judgeTrend(state, today);
  const judgedFactors = [
    judgeRevenue(weeks),
    judgeCadence(weeks),
    trend,
    judgeTrust(state, input, now, today),
    judgeTenure(state.qualifyingWeeks),
  ];
  const factors: readonly Factor[] = judgedFactors.map(({ factor }) => factor);
  const sumHundredths = factors.reduce((sum, { pointsHundredths }) => sum + pointsHundredths, 0);
  const dormancy = judgeDormancy(sumHundredths, state, today);
  const isFlagged = isFlagInForce(input.negativeFlagAt, now);
  const awakeHundredths = sumHundredths - dormancy.lostHundredths;
  const anchor = judgeAnchor(awakeHundredths, input.operatorVerified, isFlagged);
  const totalHundredths = awakeHundredths - anchor.lostHundredths;

  const reasons = listReasons(noticesOf(state, input), [
    { code: 'dormant', lostHundredths: dormancy.lostHundredths },
    // A flag costs the points for trust and the anchor, in one reason.
    { code: isFlagged ? 'flagged' : 'unanchored', lostHundredths: anchor.lostHundredths },
    ...judgedFactors.flatMap(({ deductions }) => deductions),
  ]);
  const verdict = judgeVerdict(state, input.bondStatus, roundScore(totalHundredths));
  const isDegraded = state.lastUnconvertedDay !== undefined && state.lastUnconvertedDay > today - WINDOW_DAYS;
  return {
    ...counts,
    letter: verdict.kind === 'rated' ? verdict.letter : verdict.kind === 'not_graduated' ? 'Provisioned' : 'NR',
    score: verdict.kind === 'rated' ? verdict.score : 0,
    isDegraded,
    averageHundredths: averageOf(state),
    revenueTrend: revenueTrendOf(trend.factor.measure),
    totalHundredths,
    factors,
    dormancy,
    anchor,
    reasons,
    summary: summarize(verdict, state, isDegraded, largestDeductionPhrase(reasons)),
  };
}

function judgeVerdict(
  state: RatingState,
  bondStatus: BondStatus,
  score: number,
): Exclude<Verdict, { kind: 'unavailable' }> {
  if (bondStatus === 'unbonded') return { kind: 'not_bonded' };
  if (!isGraduated(state)) return { kind: 'not_graduated' };
  const letter = letterOf(score);
  return letter === undefined ? { kind: 'below_scale', score } : { kind: 'rated', score, letter };
}

function noticesOf(state: RatingState, { bondStatus, priorEvents }: RatingInput): readonly NoticeCode[] {
  const notices: NoticeCode[] = [];
  if (bondStatus === 'unbonded') notices.push('not_bonded');
  if (!isGraduated(state)) notices.push('not_graduated');
  if (priorEvents > 0n) notices.push('history_elsewhere');
  return notices;
}

function averageOf({ totalRevenueCents, qualifyingRevenueEvents }: RatingState): number {
  if (qualifyingRevenueEvents === 0) return 0;
  return Number((100n * BigInt(totalRevenueCents)) / BigInt(qualifyingRevenueEvents));
}
