/**
 * Identity section: owner, operator, controller and home chain. Untrusted text is shown as text, and no untrusted
 * address is a link.
 */
import { chains } from '../parts/chains.ts';
import type { Query } from '../parts/queries.ts';
import { toPlainText } from '../parts/formats.ts';
import { Id, FailureNotice, Section, Skeleton } from '../parts/components.tsx';
import { DID_PREFIX, machineDid } from '../parts/namespace.ts';
import { operatorPath } from '../parts/routes.ts';
import { NOT_AVAILABLE } from '../parts/texts.ts';
import type { Card, Profile, VerifyRecord } from '../parts/wire.ts';

export interface IdentityProps {
  readonly id: string;
  readonly profile: Query<Record<string, Profile>>;
  readonly shown: Profile | undefined;
  readonly card: Query<Card>;
  readonly verified: Query<VerifyRecord>;
}

export function Identity({ id, profile, shown, card, verified }: IdentityProps) {
  const registration = card.response?.body.registrations[0]?.machineRegistry;
  const home = card.response?.body.home_chain;
  const operator = shown?.operator?.replace(DID_PREFIX, '');
  const controller = verified.response?.body.didController.address ?? shown?.controller ?? undefined;
  return (
    <Section title="Identity">
      {shown === undefined && profile.failure !== undefined && <FailureNotice query={profile} subject="profile" />}
      {shown === undefined && profile.failure === undefined && <Skeleton lines={5} />}
      {shown !== undefined && (
        <dl class="facts">
          <dt>DID</dt>
          <dd>
            <Id id={machineDid(id)} label="DID" />
          </dd>
          <dt>Operator</dt>
          <dd>
            {operator === undefined ? (
              'None'
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
          <dd>{controller === undefined ? NOT_AVAILABLE : <Id id={controller} label="controller address" />}</dd>
          <dt>Home chain</dt>
          <dd>{home === undefined ? chains.main.name : chains.alt.name}</dd>
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
          <dt>Data visibility</dt>
          <dd>{shown.data_visibility}</dd>
          <dt>Documentation</dt>
          <dd>
            {shown.documentation_url === null ? (
              'None'
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
      <h3>Services</h3>
      <p class="note">Declared by the owner and not verified. Use an address only if you trust the owner.</p>
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
