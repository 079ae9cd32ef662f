/** What-if form: weekly revenue, class of evidence and length of history, rated by the model in this browser. */
import { useState } from 'preact/hooks';
import { Section } from '../parts/components.tsx';
import { formatPoints } from '../parts/formats.ts';
import { RatingMark } from '../parts/rating-mark.tsx';
import { FACTOR_NAMES } from '../parts/texts.ts';
import { ANCHOR_DEDUCTION, WHAT_IF_CLASSES, WHAT_IF_NOTE } from './texts.ts';
import { rateScenario } from './what-if.ts';

const MOST_WEEKLY_DOLLARS = 1_000_000;
const MOST_WEEKS = 60;
const CENTS = 100;

/** Without the class that no machine of the alt chain has. */
export function WhatIfForm({
  operatorVerified,
  isAlt,
}: {
  readonly operatorVerified: boolean;
  readonly isAlt: boolean;
}) {
  const [dollars, setDollars] = useState(500);
  const [evidence, setEvidence] = useState<(typeof WHAT_IF_CLASSES)[number][0]>('paid');
  const [weeks, setWeeks] = useState(26);
  const [isVerified, setIsVerified] = useState(operatorVerified);
  const scenario = { weeklyCents: dollars * CENTS, evidence, weeks, operatorVerified: isVerified };
  const rating = rateScenario({ ...scenario, now: Math.floor(Date.now() / 1000) });
  return (
    <Section title="What if" note={WHAT_IF_NOTE}>
      <div class="filters">
        <label>
          Weekly revenue in US dollars{' '}
          <input
            type="number"
            min={0}
            max={MOST_WEEKLY_DOLLARS}
            value={dollars}
            onInput={({ currentTarget: { value } }) => setDollars(clamp(value, MOST_WEEKLY_DOLLARS))}
          />
        </label>
        <label>
          Evidence{' '}
          <select
            value={evidence}
            onChange={({ currentTarget: { value } }) =>
              setEvidence(WHAT_IF_CLASSES.find(([name]) => name === value)?.[0] ?? 'declared')
            }
          >
            {WHAT_IF_CLASSES.filter(([name]) => !isAlt || name !== 'attested').map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Weeks of history{' '}
          <input
            type="number"
            min={0}
            max={MOST_WEEKS}
            value={weeks}
            onInput={({ currentTarget: { value } }) => setWeeks(clamp(value, MOST_WEEKS))}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={isVerified} onChange={() => setIsVerified(!isVerified)} /> Operator verified
        </label>
      </div>
      <p role="status" class="outcome">
        <RatingMark letter={rating.letter} /> {rating.letter === 'Provisioned' ? '' : `${rating.score} of 100`}
      </p>
      <p class="note">
        {rating.factors
          .map(({ name, pointsHundredths }) => `${FACTOR_NAMES[name]} ${formatPoints(pointsHundredths)}`)
          .join(' · ')}
        {rating.anchor !== null &&
          rating.anchor.lostHundredths > 0 &&
          ` · ${ANCHOR_DEDUCTION}: −${formatPoints(rating.anchor.lostHundredths)}`}
      </p>
    </Section>
  );
}

function clamp(text: string, most: number): number {
  return Math.min(most, Math.max(0, Math.trunc(Number(text)) || 0));
}
