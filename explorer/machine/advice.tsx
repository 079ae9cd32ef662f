/** How to improve: the deductions, with the step that would win points back where the model knows one. */
import { Section } from '../parts/components.tsx';
import { formatPoints } from '../parts/formats.ts';
import type { Explanation } from '../parts/wire.ts';
import { describeStep } from './next-step.ts';
import { ADVICE_NOTE, BOND_ADVICE, FIRST_RATING, FRAUD_ADVICE, NO_DEDUCTIONS, REVENUE_LOW } from './texts.ts';

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
        <p class="quiet">{factors.length === 0 ? FIRST_RATING : NO_DEDUCTIONS}</p>
      ) : (
        <ul class="reasons">
          {reasons.map(({ code, lost_hundredths: lost, text }) => (
            <li key={code}>
              {lost !== null && <strong class="lost">−{formatPoints(lost)}</strong>}
              <span>
                {describeReason(code, text, explanation, isFraud)} {lost !== null && describeStep(code, explanation)}
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
