/** Monetization section: the opt-in decision in force, and the form that changes it. */
import { useState } from 'preact/hooks';
import type { Query } from '../parts/queries.ts';
import { DecisionForm } from './decision-form.tsx';
import { Id, Mark, FailureNotice, Section, Skeleton, When } from '../parts/components.tsx';
import type { Explanation, Monetization } from '../parts/wire.ts';
import { useDirectoryEntry } from '../machine/identity.tsx';
import { machineDid } from '../parts/namespace.ts';
import { DecisionLog } from './decision-log.tsx';
import {
  ALT_SIGNERS,
  CHANGE,
  CLOSE,
  DECIDED_BEFORE_SALE,
  findObstacles,
  MAIN_SIGNERS,
  MEANING,
  OPT_OUT_ALWAYS,
  SAME_ACCOUNT,
} from './texts.ts';
import { MONETIZATION_STATES } from '../parts/texts.ts';

export interface MonetizationPanelProps {
  readonly id: string;
  readonly decision: Query<Monetization>;
  /** Protocol chain ordinal; undefined: the main chain, once `isHomeKnown`. */
  readonly homeChain: number | undefined;
  readonly isHomeKnown: boolean;
  readonly explanation: Explanation;
  /** Account of the controller, and of the owner of an alt-chain machine; undefined where not known. */
  readonly controller: string | undefined;
  readonly owner: string | undefined;
}

export function MonetizationPanel(props: MonetizationPanelProps) {
  const { id, decision, homeChain, isHomeKnown, explanation, controller } = props;
  const listed = useDirectoryEntry(isHomeKnown && homeChain === undefined ? id : undefined);
  const owner = props.owner ?? listed?.owner;
  const [isOpen, setIsOpen] = useState(false);
  const { response, failure } = decision;
  const known = [
    ...new Set([owner, homeChain === undefined ? controller : undefined].filter((account) => account !== undefined)),
  ];
  const obstacles = findObstacles(explanation);
  return (
    <Section title="Monetization">
      {response === undefined && failure !== undefined && <FailureNotice query={decision} subject="opt-in decision" />}
      {response === undefined && failure === undefined && <Skeleton lines={2} />}
      {response !== undefined && <State state={response.body} />}
      {MEANING.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {isHomeKnown && <Signers isAlt={homeChain !== undefined} controller={controller} owner={owner} />}
      {obstacles.length > 0 && (
        <div class="notice fair">
          {obstacles.map((text) => (
            <p key={text}>{text}</p>
          ))}
          <p>{OPT_OUT_ALWAYS}</p>
        </div>
      )}
      {response !== undefined && isHomeKnown && (
        <p>
          <button type="button" class="second" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? CLOSE : CHANGE}
          </button>
        </p>
      )}
      {response !== undefined && isOpen && (
        <DecisionForm
          id={id}
          home={homeChain === undefined ? { chain: 'main' } : { chain: 'alt', ordinal: homeChain }}
          inForce={response.body}
          entitled={known}
          canOptIn={obstacles.length === 0}
          onStored={decision.retry}
        />
      )}
      {response !== undefined && <DecisionLog did={machineDid(id)} />}
    </Section>
  );
}

function Signers({
  isAlt,
  controller,
  owner,
}: {
  readonly isAlt: boolean;
  readonly controller: string | undefined;
  readonly owner: string | undefined;
}) {
  return (
    <>
      <p>{isAlt ? ALT_SIGNERS : MAIN_SIGNERS}</p>
      <ul class="plainly">
        {owner !== undefined && (
          <li>
            Owner: <Id id={owner} label="owner" />
          </li>
        )}
        {!isAlt && controller !== undefined && (
          <li>
            Controller: <Id id={controller} label="controller" />{' '}
            {controller === owner && <span class="quiet">{SAME_ACCOUNT}</span>}
          </li>
        )}
      </ul>
    </>
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
      {isOutdated && <p>{DECIDED_BEFORE_SALE}</p>}
    </>
  );
}
