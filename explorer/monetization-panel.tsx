/** Has the owner decided about monetization, and how is a decision made? */
import { useState } from 'preact/hooks';
import type { Followed } from './answers.ts';
import { DecisionForm } from './decision-form.tsx';
import { Id, Mark, RefusalNotice, Section, Skeleton, When } from './marks.tsx';
import type { Monetization } from './wire.ts';
import { MONETIZATION_STATES } from './words.ts';

export interface MonetizationPanelProps {
  readonly id: string;
  readonly decision: Followed<Monetization>;
  /** Protocol chain ordinal; undefined: the main chain, once `isHomeKnown`. */
  readonly homeChain: number | undefined;
  readonly isHomeKnown: boolean;
  /** Accounts known to be entitled to sign, as far as they are told. */
  readonly entitled: readonly (string | undefined)[];
}

export function MonetizationPanel({ id, decision, homeChain, isHomeKnown, entitled }: MonetizationPanelProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { answer, refusal } = decision;
  const known = [...new Set(entitled.filter((account) => account !== undefined))];
  return (
    <Section title="Monetization">
      {answer === undefined && refusal !== undefined && <RefusalNotice followed={decision} subject="decision" />}
      {answer === undefined && refusal === undefined && <Skeleton lines={2} />}
      {answer !== undefined && <State state={answer.body} />}
      {answer !== undefined && isHomeKnown && (
        <p>
          <button type="button" class="second" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Close' : 'Decide as the owner'}
          </button>
        </p>
      )}
      {answer !== undefined && isOpen && (
        <DecisionForm
          id={id}
          home={homeChain === undefined ? { chain: 'main' } : { chain: 'alt', ordinal: homeChain }}
          inForce={answer}
          entitled={known}
          onStored={decision.retry}
        />
      )}
    </Section>
  );
}

function State({ state: { status, signer, updated_at } }: { readonly state: Monetization }) {
  const tone = status === 'OPTED_IN' ? 'good' : 'quiet';
  return (
    <>
      <ul class="marks">
        <Mark label="State" text={MONETIZATION_STATES[status]} tone={tone} />
      </ul>
      {signer !== null && updated_at !== null && (
        <p>
          Signed by <Id id={signer} label="signer" />, <When seconds={updated_at} />.
        </p>
      )}
    </>
  );
}
