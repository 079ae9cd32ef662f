/** Monetization section: the opt-in decision in force, and the form that changes it. */
import { useState } from 'preact/hooks';
import type { Query } from './queries.ts';
import { DecisionForm } from './decision-form.tsx';
import { DecisionLog } from './decision-log.tsx';
import { machineDid } from './namespace.ts';
import { Id, Mark, FailureNotice, Section, Skeleton, When } from './components.tsx';
import type { Monetization } from './wire.ts';
import { MONETIZATION_STATES } from './texts.ts';

export interface MonetizationPanelProps {
  readonly id: string;
  readonly decision: Query<Monetization>;
  /** Protocol chain ordinal; undefined: the main chain, once `isHomeKnown`. */
  readonly homeChain: number | undefined;
  readonly isHomeKnown: boolean;
  /** Accounts entitled to sign; undefined where not known. */
  readonly entitled: readonly (string | undefined)[];
}

export function MonetizationPanel({ id, decision, homeChain, isHomeKnown, entitled }: MonetizationPanelProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { response, failure } = decision;
  const known = [...new Set(entitled.filter((account) => account !== undefined))];
  return (
    <Section title="Monetization">
      {response === undefined && failure !== undefined && <FailureNotice query={decision} subject="opt-in decision" />}
      {response === undefined && failure === undefined && <Skeleton lines={2} />}
      {response !== undefined && <State state={response.body} />}
      {response !== undefined && <DecisionLog did={machineDid(id)} />}
      {response !== undefined && isHomeKnown && (
        <p>
          <button type="button" class="second" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Close' : 'Change opt-in'}
          </button>
        </p>
      )}
      {response !== undefined && isOpen && (
        <DecisionForm
          id={id}
          home={homeChain === undefined ? { chain: 'main' } : { chain: 'alt', ordinal: homeChain }}
          inForce={response}
          entitled={known}
          onStored={decision.retry}
        />
      )}
    </Section>
  );
}

function State({
  state: { status, signer, updated_at, signer_is_current: isCurrent },
}: {
  readonly state: Monetization;
}) {
  const isOutdated = isCurrent === false;
  const tone = status !== 'OPTED_IN' ? 'quiet' : isOutdated ? 'fair' : 'good';
  return (
    <>
      <ul class="marks">
        <Mark label="State" text={MONETIZATION_STATES[status]} tone={tone} />
      </ul>
      {signer !== null && (
        <p>
          Signed by <Id id={signer} label="signer" />, <When seconds={updated_at} />.
        </p>
      )}
      {isOutdated && (
        <p>
          Decided before the machine changed hands: the signer is neither owner nor controller now. The decision stays
          in force until the new owner or controller decides.
        </p>
      )}
    </>
  );
}
