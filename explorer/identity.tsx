/** Who is this machine, and where does it live? What strangers wrote is shown as text; no address of theirs is a link. */
import type { Followed } from './answers.ts';
import { toPlainText } from './formats.ts';
import { Id, RefusalNotice, Section, Skeleton } from './marks.tsx';
import { DID_PREFIX, machineDid } from './namespace.ts';
import { operatorPath } from './places.ts';
import type { Card, Profile, VerifyRecord } from './wire.ts';

export interface IdentityProps {
  readonly id: string;
  readonly profile: Followed<Record<string, Profile>>;
  readonly shown: Profile | undefined;
  readonly card: Followed<Card>;
  readonly verified: Followed<VerifyRecord>;
}

export function Identity({ id, profile, shown, card, verified }: IdentityProps) {
  const registration = card.answer?.body.registrations[0]?.machineRegistry;
  const home = card.answer?.body.home_chain;
  const operator = shown?.operator?.replace(DID_PREFIX, '');
  const controller = verified.answer?.body.didController.address ?? shown?.controller ?? undefined;
  return (
    <Section title="Identity">
      {shown === undefined && profile.refusal !== undefined && <RefusalNotice followed={profile} subject="profile" />}
      {shown === undefined && profile.refusal === undefined && <Skeleton lines={5} />}
      {shown !== undefined && (
        <dl class="facts">
          <dt>DID</dt>
          <dd>
            <Id id={machineDid(id)} label="DID" />
          </dd>
          <dt>Operator</dt>
          <dd>
            {operator === undefined ? (
              'none named'
            ) : (
              <Id id={operator} label="operator address" href={operatorPath(operator)} />
            )}
          </dd>
          {shown.owner !== undefined && (
            <>
              <dt>Owner</dt>
              <dd>
                <Id id={shown.owner} label="owner" />
              </dd>
            </>
          )}
          <dt>Controller</dt>
          <dd>{controller === undefined ? 'not told' : <Id id={controller} label="controller address" />}</dd>
          <dt>Home chain</dt>
          <dd>{home === undefined ? 'the main chain' : `the chain with ordinal ${home}`}</dd>
          {registration !== undefined && (
            <>
              <dt>Registry</dt>
              <dd>
                <Id id={registration} label="registry" />
              </dd>
            </>
          )}
          {shown.machine_type !== undefined && (
            <>
              <dt>Type</dt>
              <dd>
                <bdi class="stranger">{toPlainText(shown.machine_type)}</bdi>
              </dd>
            </>
          )}
          <dt>Data</dt>
          <dd>{shown.data_visibility}</dd>
          <dt>Documentation</dt>
          <dd>
            {shown.documentation_url === null ? (
              'none'
            ) : (
              <bdi class="stranger">{toPlainText(shown.documentation_url)}</bdi>
            )}
          </dd>
        </dl>
      )}
      {shown !== undefined && shown.service_endpoints.length > 0 && <Services endpoints={shown.service_endpoints} />}
    </Section>
  );
}

function Services({ endpoints }: { readonly endpoints: Profile['service_endpoints'] }) {
  return (
    <>
      <h3>Services it names</h3>
      <p class="note">Written by the owner of the machine and not checked: copy an address only if you trust them.</p>
      <ul class="services">
        {endpoints.map(({ id, type, endpoint }, row) => (
          <li key={row}>
            <bdi class="stranger">{toPlainText(type)}</bdi>
            <bdi class="stranger quiet">{toPlainText(id)}</bdi>
            <code>
              <bdi class="stranger">{toPlainText(endpoint)}</bdi>
            </code>
          </li>
        ))}
      </ul>
    </>
  );
}
