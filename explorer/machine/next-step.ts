/**
 * Step that would win back a deduction, with the points that the model holds for it. The gain is what the total rises by: after the anchor,
 * and without dormancy, which every step ends because it needs events.
 */
import { CADENCE, COUNTED_WEEKS, TENURE, TREND, TRUST } from '../../src/domain/rating/constants.ts';
import { judgeAnchor } from '../../src/domain/rating/anchor.ts';
import { isFlagInForce } from '../../src/domain/rating/negative-flag.ts';
import { isOnAltChain } from '../parts/home-chain.ts';
import type { Explanation, Factor } from '../parts/wire.ts';
import {
  describeCadenceAdvice,
  describePaidAdvice,
  describeRevenueAdvice,
  describeTenureAdvice,
  describeTrendAdvice,
  describeTrustAdvice,
  type Gain,
} from './texts.ts';
import { rateScenario } from './what-if.ts';

/** Weekly revenues that are worth naming, in US cents: the steps of the model. */
const WEEKLY_STEPS = [5_000, 10_000, 25_000, 50_000, 100_000, 250_000];

type FactorOf<Name extends Factor['name']> = Extract<Factor, { name: Name }>;

/** Returns undefined where the model knows no step, or where the step would add nothing. */
export function describeStep(code: string, explanation: Explanation): string | undefined {
  const find = <Name extends Factor['name']>(name: Name) =>
    explanation.factors.find((factor): factor is FactorOf<Name> => factor.name === name);
  switch (code) {
    case 'revenue_low':
      return describeRevenueStep(find('revenue'), explanation);
    case 'cadence_low':
      return describeCadenceStep(find('cadence'), explanation);
    case 'tenure_short': {
      const factor = find('tenure');
      const gain = gainOf(factor, TENURE.maxHundredths, explanation);
      return gain && describeTenureAdvice(factor!.measure.weeks, gain);
    }
    case 'trust_low':
      return describeTrustStep(find('trust'), explanation);
    case 'trend_below': {
      const gain = gainOf(find('trend'), TREND.maxHundredths, explanation);
      return gain && describeTrendAdvice(gain);
    }
    default:
      return undefined;
  }
}

/** The same share of verified revenue as now lies between the points of declared and of paid revenue. */
function describeRevenueStep(factor: FactorOf<'revenue'> | undefined, explanation: Explanation): string | undefined {
  if (factor === undefined) return undefined;
  const { usd_cents: cents, verified_usd_cents: verified } = factor.measure;
  const weekly = Math.floor(cents / COUNTED_WEEKS);
  const target = WEEKLY_STEPS.find((step) => step > weekly);
  if (target === undefined) return undefined;
  const share = cents === 0 ? 0 : verified / cents;
  const pointsOf = (evidence: 'declared' | 'paid') =>
    rateScenario({
      ...{ weeklyCents: target, evidence, weeks: COUNTED_WEEKS + 1 },
      ...{ operatorVerified: true, now: explanation.inputs.now },
    }).factors[0]!.pointsHundredths;
  const declared = pointsOf('declared');
  const gain = gainOf(factor, declared + share * (pointsOf('paid') - declared), explanation);
  return gain && describeRevenueAdvice(weekly, target, gain);
}

/** Verified weeks and days stay in the same proportion to all of them. */
function describeCadenceStep(factor: FactorOf<'cadence'> | undefined, explanation: Explanation): string | undefined {
  if (factor === undefined) return undefined;
  const { weeks, days, verified_weeks: verifiedWeeks, verified_days: verifiedDays } = factor.measure;
  const [countedWeeks, countedDays] = [Math.min(weeks, CADENCE.weeks), Math.min(days, CADENCE.days)];
  const verified =
    CADENCE.weeksHundredths * shareOf(verifiedWeeks, countedWeeks) +
    CADENCE.daysHundredths * shareOf(verifiedDays, countedDays);
  const gain = gainOf(factor, (CADENCE.maxHundredths + verified) / 2, explanation);
  return gain && describeCadenceAdvice(countedWeeks, countedDays, gain);
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, part / whole);
}

/** An attested chip earns all points; on the alt chain a payment is the best evidence, where payments are followed. */
function describeTrustStep(factor: FactorOf<'trust'> | undefined, explanation: Explanation): string | undefined {
  if (!isOnAltChain(explanation)) {
    const gain = gainOf(factor, TRUST.maxHundredths, explanation);
    return gain && describeTrustAdvice(gain);
  }
  if (explanation.evidence.sources_hash === null) return undefined;
  const paid = (TRUST.maxHundredths * TRUST.classHundredths.paid) / TRUST.fullHundredths;
  const gain = gainOf(factor, paid, explanation);
  return gain && describePaidAdvice(gain);
}

/** Returns what the total gains when the factor rises to `points`; undefined where that shows as nothing. */
function gainOf(
  factor: Factor | undefined,
  points: number,
  { factors, anchor, inputs }: Explanation,
): Gain | undefined {
  if (factor === undefined || anchor === null) return undefined;
  const sum = factors.reduce((total, { points_hundredths: each }) => total + each, 0);
  const isFlagged = isFlagInForce(BigInt(inputs.negative_flag_at), inputs.now);
  const totalOf = (awake: number) => awake - judgeAnchor(awake, anchor.operator_verified, isFlagged).lostHundredths;
  const added = Math.floor(points) - factor.points_hundredths;
  const gain = totalOf(sum + added) - totalOf(sum);
  return gain > 0 ? { hundredths: gain, isAnchored: gain < added } : undefined;
}
