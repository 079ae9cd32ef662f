/** How to improve: the deductions, with the step that would win points back where the model knows one. */
import { Section } from '../parts/components.tsx';
import { formatPoints } from '../parts/formats.ts';
import type { Explanation, Factor } from '../parts/wire.ts';
import {
  ADVICE_NOTE,
  BOND_ADVICE,
  describeCadenceAdvice,
  describeRevenueAdvice,
  describeTenureAdvice,
  describeTrendAdvice,
  describeTrustAdvice,
  FIRST_RATING,
  FRAUD_ADVICE,
  REVENUE_LOW,
} from './texts.ts';
import { rateScenario } from './what-if.ts';

export function Advice({ explanation, isFraud }: { readonly explanation: Explanation; readonly isFraud: boolean }) {
  const { factors, inputs } = explanation;
  // Nothing restores a rating after the bond was terminated.
  const reasons = explanation.reasons.filter(
    ({ code }) => inputs.subscription !== 'Terminated' || code === 'not_bonded',
  );
  return (
    <Section
      title="How to improve"
      note={reasons.some(({ lost_hundredths: lost }) => lost !== null) ? ADVICE_NOTE : undefined}
    >
      {reasons.length === 0 ? (
        <p class="quiet">{factors.length === 0 ? FIRST_RATING : 'No deductions.'}</p>
      ) : (
        <ul class="reasons">
          {reasons.map(({ code, lost_hundredths: lost, text }) => (
            <li key={code}>
              {lost !== null && <strong class="lost">−{formatPoints(lost)}</strong>}
              <span>
                {describeReason(code, text, explanation, isFraud)}{' '}
                {lost !== null && describeStep(code, factors, lost, explanation)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function describeReason(code: string, text: string, explanation: Explanation, isFraud: boolean): string {
  if (code === 'not_bonded') return describeBondAdvice(explanation, isFraud, text);
  return code === 'revenue_low' ? REVENUE_LOW : text;
}

function describeBondAdvice({ inputs: { subscription } }: Explanation, isFraud: boolean, text: string): string {
  if (subscription === 'Terminated' && isFraud) return FRAUD_ADVICE;
  return subscription === 'Active' || subscription === 'Grace' ? text : BOND_ADVICE[subscription];
}

/** Weekly revenues that are worth naming, in US cents: the steps of the model. */
const WEEKLY_STEPS = [5_000, 10_000, 25_000, 50_000, 100_000, 250_000];
const COUNTED_WEEKS = 13;

function describeStep(
  code: string,
  factors: readonly Factor[],
  lost: number,
  { inputs: { now } }: Explanation,
): string | undefined {
  const find = <N extends Factor['name']>(name: N) =>
    factors.find((factor): factor is Extract<Factor, { name: N }> => factor.name === name);
  switch (code) {
    case 'revenue_low': {
      const factor = find('revenue');
      if (factor === undefined) return undefined;
      const { usd_cents: cents, verified_usd_cents: verified } = factor.measure;
      const weekly = Math.floor(cents / COUNTED_WEEKS);
      const target = WEEKLY_STEPS.find((step) => step > weekly);
      if (target === undefined) return undefined;
      // The same share of verified revenue as now: between the points of declared and of paid revenue.
      const share = cents === 0 ? 0 : verified / cents;
      const points = (evidence: 'declared' | 'paid') =>
        rateScenario({ weeklyCents: target, evidence, weeks: COUNTED_WEEKS + 1, operatorVerified: true, now })
          .factors[0]!.pointsHundredths;
      const gain = points('declared') + share * (points('paid') - points('declared')) - factor.points_hundredths;
      return gain > 0 ? describeRevenueAdvice(weekly, target, gain) : undefined;
    }
    case 'cadence_low':
      return describeCadenceAdvice(find('cadence')?.measure.days ?? 0, lost);
    case 'tenure_short':
      return describeTenureAdvice(find('tenure')?.measure.weeks ?? 0, lost);
    case 'trust_low':
      return describeTrustAdvice(lost);
    case 'trend_below':
      return describeTrendAdvice(lost);
    default:
      return undefined;
  }
}
