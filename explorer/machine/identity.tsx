/**
 * Identity section: owner, operator, controller and home chain. Untrusted text is shown as text, and no untrusted
 * address is a link.
 */
import { chains, type ChainName } from '../parts/chains.ts';
import { useQuery, type Query } from '../parts/queries.ts';
import { formatCount, toPlainText } from '../parts/formats.ts';
import { ExplorerLink, Id, FailureNotice, Section, Skeleton } from '../parts/components.tsx';
import { DID_PREFIX, machineDid } from '../parts/namespace.ts';
import { operatorPath, walletPath } from '../parts/routes.ts';
import { NOT_AVAILABLE } from '../parts/texts.ts';
import { NO_OWNER, OWNER_NOTE, SERVICES_NOTE } from './texts.ts';
import type { Card, Directory, DirectoryEntry, Profile, VerifyRecord } from '../parts/wire.ts';

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
  // The rows appear at once, so that none moves another.
  const isSettled = shown !== undefined && (card.response ?? card.failure) !== undefined;
  return (
    <Section title="Identity">
      {shown === undefined && profile.failure !== undefined && <FailureNotice query={profile} subject="profile" />}
      {!isSettled && profile.failure === undefined && <Skeleton lines={5} />}
      {isSettled && (
        <dl class="facts">
          <dt>DID</dt>
          <dd>
            <Id id={machineDid(id)} label="DID" ends={14} />
          </dd>
          <dt>Operator</dt>
          <dd>
            {operator === undefined ? (
              'None'
            ) : (
              <>
                <Id id={operator} label="operator address" href={operatorPath(operator)} />{' '}
                <ExplorerLink chain="main" kind="address" value={operator} />
              </>
            )}
          </dd>
          {card.response !== undefined &&
            (home === undefined ? (
              <>
                <MainOwner id={id} />
                {chains.alt.ordinal !== undefined && <NoOwner chain="alt" home="main" />}
              </>
            ) : (
              <>
                <NoOwner chain="main" home="alt" />
                <AltOwner owner={shown.owner} />
              </>
            ))}
          <dt>Controller</dt>
          <dd>
            {controller === undefined ? (
              NOT_AVAILABLE
            ) : (
              <>
                <Id id={controller} label="controller address" />{' '}
                <ExplorerLink chain={home === undefined ? 'main' : 'alt'} kind="address" value={controller} />
              </>
            )}
          </dd>
          <dt>Home chain</dt>
          <dd>{home === undefined ? chains.main.name : chains.alt.name}</dd>
          {registration !== undefined && (
            <>
              <dt>Registry</dt>
              <dd>
                <Id id={registration} label="registry" ends={14} />{' '}
                <ExplorerLink
                  chain={home === undefined ? 'main' : 'alt'}
                  kind="address"
                  value={registration.slice(registration.lastIndexOf(':') + 1)}
                />
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
      {isSettled && shown.service_endpoints.length > 0 && <Services endpoints={shown.service_endpoints} />}
    </Section>
  );
}

/** Reads the entry of a machine in the directory: the first machine after the id before it. */
export function useDirectoryEntry(id: string | undefined): DirectoryEntry | undefined {
  const before = BigInt(id ?? 1) - 1n;
  const path = `/directory?sort=id&limit=1${before === 0n ? '' : `&after=0.${before}`}`;
  const { response } = useQuery<Directory>(id === undefined ? undefined : path);
  return response?.body.machines.find(({ machine_id }) => machine_id === id);
}

function MainOwner({ id }: { readonly id: string }) {
  const machine = useDirectoryEntry(id);
  return (
    <>
      <dt>Owner on {chains.main.name}</dt>
      <dd>
        {machine === undefined ? (
          NOT_AVAILABLE
        ) : (
          <>
            <Id id={machine.owner} label="owner" href={operatorPath(machine.owner)} />{' '}
            <ExplorerLink chain="main" kind="address" value={machine.owner} />
            <span class="note">
              {' '}
              {OWNER_NOTE} {formatCount(machine.block)}
            </span>
          </>
        )}
      </dd>
    </>
  );
}

/** Only the home chain says who owns a machine, whatever it leaves on the other. */
function NoOwner({ chain, home }: { readonly chain: ChainName; readonly home: ChainName }) {
  return (
    <>
      <dt>Owner on {chains[chain].name}</dt>
      <dd>{NO_OWNER.replace('{home}', chains[home].name)}</dd>
    </>
  );
}

function AltOwner({ owner }: { readonly owner: string | undefined }) {
  return (
    <>
      <dt>Owner on {chains.alt.name}</dt>
      <dd>
        {owner === undefined ? (
          NOT_AVAILABLE
        ) : (
          <>
            <Id id={owner} label="owner" href={walletPath(owner)} />{' '}
            <ExplorerLink chain="alt" kind="address" value={owner} />
          </>
        )}
      </dd>
    </>
  );
}

function Services({ endpoints }: { readonly endpoints: Profile['service_endpoints'] }) {
  return (
    <>
      <h3>Services</h3>
      <p class="note">{SERVICES_NOTE}</p>
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
