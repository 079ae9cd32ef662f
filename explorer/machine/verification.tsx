/** Verification tab: the records of operator (KYB) and chip, and what a change of hands means for them. */
import type { ComponentChildren } from 'preact';
import { chains } from '../parts/chains.ts';
import { FailureNotice, Id, Mark, Section, Skeleton, When } from '../parts/components.tsx';
import { isOnAltChain } from '../parts/home-chain.ts';
import type { Query } from '../parts/queries.ts';
import { operatorPath } from '../parts/routes.ts';
import { VERIFICATION_STATES } from '../parts/texts.ts';
import type { Explanation, VerifyRecord } from '../parts/wire.ts';
import {
  ACCOUNTS_NOTE,
  CHIP_CHANGED_HANDS,
  CHIP_MEANINGS,
  describeNoAccounts,
  KYB_MEANINGS,
  NOT_VERIFIED_HERE,
  OPERATOR_COUNTS,
  OPERATOR_DOES_NOT_COUNT,
} from './texts.ts';

type Topic = VerifyRecord['verification']['kyb'];

export function Verification({
  explanation,
  verified,
}: {
  readonly explanation: Explanation;
  readonly verified: Query<VerifyRecord>;
}) {
  const isAlt = isOnAltChain(explanation);
  const { anchor, evidence } = explanation;
  const { response, failure } = verified;
  const record = response?.body;
  return (
    <>
      <Section title="Verification">
        {anchor !== null && <p>{anchor.operator_verified ? OPERATOR_COUNTS : OPERATOR_DOES_NOT_COUNT}</p>}
        {isAlt ? (
          <p class="quiet">{NOT_VERIFIED_HERE.replace('{chain}', chains.main.name)}</p>
        ) : record === undefined && failure !== undefined ? (
          <FailureNotice query={verified} subject="verification record" />
        ) : record === undefined ? (
          <Skeleton lines={6} />
        ) : (
          <div class="columns">
            <Record title="Operator (KYB)" topic={record.verification.kyb} meanings={KYB_MEANINGS}>
              <dt>Operator</dt>
              <dd>
                <Id id={record.operator.address} label="operator" href={operatorPath(record.operator.address)} />
              </dd>
            </Record>
            <Record title="Chip" topic={record.verification.chip} meanings={CHIP_MEANINGS}>
              <dt>Changed hands</dt>
              <dd>
                {evidence.changed_hands_at === null ? 'Never' : <When seconds={evidence.changed_hands_at} isExact />}
              </dd>
            </Record>
          </div>
        )}
        {evidence.chip_changed_hands === true && <p class="notice fair">{CHIP_CHANGED_HANDS}</p>}
      </Section>
      <Accounts accounts={evidence.accounts} isAlt={isAlt} />
    </>
  );
}

function Record({
  title,
  topic,
  meanings,
  children,
}: {
  readonly title: string;
  readonly topic: Topic;
  readonly meanings: Readonly<Record<Topic['status'], string>>;
  readonly children: ComponentChildren;
}) {
  const { status } = topic;
  return (
    <div>
      <h3>{title}</h3>
      <ul class="marks">
        <Mark label="State" text={VERIFICATION_STATES[status].text} tone={VERIFICATION_STATES[status].tone} />
      </ul>
      <p>{meanings[status]}</p>
      <dl class="facts">{children}</dl>
    </div>
  );
}

/** Accounts that signed for payments to the machine. */
function Accounts({
  accounts,
  isAlt,
}: {
  readonly accounts: Explanation['evidence']['accounts'];
  readonly isAlt: boolean;
}) {
  return (
    <Section title="Payout accounts" note={ACCOUNTS_NOTE}>
      {accounts.length === 0 && (
        <p>
          {describeNoAccounts(isAlt)} <a href="/methodology">How revenue counts in full</a>
        </p>
      )}
      <ul class="log">
        {accounts.map(({ account, since }) => (
          <li key={`${account} ${since}`}>
            <When seconds={since} />
            <Id id={account} label="payout account" />
          </li>
        ))}
      </ul>
    </Section>
  );
}
