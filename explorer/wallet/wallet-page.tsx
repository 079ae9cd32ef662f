/** Wallet page: the state of the binding of an alt-chain wallet, the rating of the bound legacy machine, and the operator's machines. */
import { useEffect } from 'preact/hooks';
import {
  ExplorerLink,
  FailureNotice,
  Id,
  IdTitle,
  MachineLink,
  Mark,
  Section,
  Skeleton,
  When,
} from '../parts/components.tsx';
import { chains } from '../parts/chains.ts';
import { formatCents, formatCount, shorten } from '../parts/formats.ts';
import { useQuery, type ApiFailure, type Query } from '../parts/queries.ts';
import { RatingRing } from '../parts/rating-ring.tsx';
import { RatingMark } from '../parts/rating-mark.tsx';
import { directoryPath, operatorPath } from '../parts/routes.ts';
import { isRated, SITE_NAME, TREND_TEXTS } from '../parts/texts.ts';
import type { BoundFleet, BoundRating, Directory } from '../parts/wire.ts';
import { describeUnlisted } from '../directory/texts.ts';
import { FleetView } from '../operator/operator-page.tsx';
import { useFleet } from '../operator/fleet.ts';
import { BINDING_TEXTS, NO_LEGACY_FLEET, NO_LEGACY_MACHINE, NO_OWNED_MACHINES } from './texts.ts';

const PAGE = 20;
const OWNED_SHOWN = 50;

type Binding =
  | { readonly kind: 'loading' | 'unbound' | 'revoked' | 'failed' }
  | { readonly kind: 'bound'; readonly address: string };

export function WalletPage({ wallet }: { readonly wallet: string }) {
  useEffect(() => {
    document.title = `Wallet ${shorten(wallet, 4)} | ${SITE_NAME}`;
  }, [wallet]);
  const rating = useQuery<BoundRating>(`/solana/mcr/${wallet}`, 60);
  const fleet = useFleet(`/solana/operator/${wallet}/machines`, PAGE);
  const binding = judgeBinding(rating, fleet.first as Query<BoundFleet>);
  const hasMachines = (fleet.fleet?.total ?? 0) > 0;
  // All parts appear at once, so that none moves another.
  const isSettled =
    binding.kind !== 'loading' &&
    (rating.response ?? rating.failure) !== undefined &&
    (fleet.fleet !== undefined || fleet.first.failure !== undefined);
  return (
    <>
      <header class="card wallet-head">
        <IdTitle kind="Wallet" id={wallet} copied={wallet} label="the address" />
        <BindingState binding={binding} rating={rating} />
        <p class="buttons">
          <ExplorerLink chain="alt" kind="address" value={wallet} />
        </p>
      </header>
      {isSettled ? (
        <>
          {rating.response !== undefined && <LegacyMachine rating={rating.response.body} />}
          {binding.kind === 'bound' && rating.failure?.status === 404 && (
            <p class="quiet">{hasMachines ? NO_LEGACY_MACHINE : NO_LEGACY_FLEET}</p>
          )}
          {binding.kind === 'bound' && hasMachines && <FleetView query={fleet} csv={[]} isLinked={false} />}
          <OwnedMachines wallet={wallet} />
        </>
      ) : (
        <div class="card table-place">
          <Skeleton lines={8} />
        </div>
      )}
    </>
  );
}

/** The two routes resolve the same binding; one of them may fail for a reason of its own. */
function judgeBinding(rating: Query<BoundRating>, fleet: Query<BoundFleet>): Binding {
  const address = rating.response?.body.evm_address ?? fleet.response?.body.evm_address;
  if (address !== undefined) return { kind: 'bound', address };
  const says = (words: RegExp) => [rating.failure, fleet.failure].some((failure) => isAbsence(failure, words));
  if (says(/revoked/)) return { kind: 'revoked' };
  if (says(/not bound/)) return { kind: 'unbound' };
  return { kind: rating.failure === undefined || fleet.failure === undefined ? 'loading' : 'failed' };
}

function isAbsence(failure: ApiFailure | undefined, words: RegExp): boolean {
  return failure?.status === 404 && words.test(failure.detail);
}

function BindingState({ binding, rating }: { readonly binding: Binding; readonly rating: Query<BoundRating> }) {
  switch (binding.kind) {
    case 'bound':
      return (
        <>
          <ul class="marks">
            <Mark label="Binding" text="in force" tone="good" />
          </ul>
          <p>
            {BINDING_TEXTS.bound} <Id id={binding.address} label="bound address" href={operatorPath(binding.address)} />{' '}
            on {chains.main.name}.
          </p>
        </>
      );
    case 'loading':
      return <Skeleton lines={2} />;
    case 'failed':
      return <FailureNotice query={rating} subject="binding of this wallet" />;
    default:
      return (
        <>
          <ul class="marks">
            <Mark label="Binding" text={binding.kind === 'revoked' ? 'revoked' : 'none'} tone="quiet" />
          </ul>
          <p>{BINDING_TEXTS[binding.kind]}</p>
        </>
      );
  }
}

/** Machines of the alt chain that the wallet owns, from the directory. Nothing where the deployment serves none. */
function OwnedMachines({ wallet }: { readonly wallet: string }) {
  const query = useQuery<Directory>(`/directory?owner=${wallet}&limit=${OWNED_SHOWN}`, 60);
  const { response, failure } = query;
  if (failure?.status === 404) return null;
  const title = `Owned on ${chains.alt.name}`;
  if (response === undefined) {
    return (
      <Section title={title}>
        {failure === undefined ? <Skeleton lines={3} /> : <FailureNotice query={query} subject="list of machines" />}
      </Section>
    );
  }
  const { machines, next, unlisted } = response.body;
  return (
    <Section title={title}>
      {machines.length === 0 && <p class="quiet">{NO_OWNED_MACHINES}</p>}
      <ul class="active">
        {machines.map(({ machine_id: id, rating, score, observed_at: at }) => (
          <li key={id}>
            <MachineLink id={id} />
            <span class="rating">
              <RatingMark letter={rating} /> {isRated(rating) && <span class="quiet">{score} of 100</span>}
            </span>
            <span class="quiet">
              observed <When seconds={at} />
            </span>
          </li>
        ))}
      </ul>
      {unlisted > 0 && <p class="note">{describeUnlisted(unlisted)}</p>}
      {next !== null && (
        <p>
          <a href={`${directoryPath()}?owner=${wallet}`}>All machines of this owner</a>
        </p>
      )}
    </Section>
  );
}

/** A legacy machine has no decimal id of its own on these pages: the page of its wallet is its page. */
function LegacyMachine({ rating }: { readonly rating: BoundRating }) {
  const { mcr, mcr_score, summary, bond_status, event_count, total_revenue, revenue_trend, last_updated } = rating;
  return (
    <Section title="Bound legacy machine">
      <div class="verdict">
        <RatingRing letter={mcr} score={mcr_score} />
        <div>
          <p class="summary">{summary}</p>
          <ul class="marks">
            <Mark label="Bond" text={bond_status} tone={bond_status === 'bonded' ? 'good' : 'bad'} />
          </ul>
          <dl class="figures">
            <div>
              <dt>Qualifying revenue</dt>
              <dd>{formatCents(total_revenue)}</dd>
            </div>
            <div>
              <dt>Revenue trend</dt>
              <dd>{revenue_trend === null ? 'none' : TREND_TEXTS[revenue_trend]}</dd>
            </div>
            <div>
              <dt>Events</dt>
              <dd>{formatCount(event_count)}</dd>
            </div>
            <div>
              <dt>Latest event</dt>
              <dd>{last_updated === null ? 'none' : <When seconds={last_updated} />}</dd>
            </div>
          </dl>
        </div>
      </div>
    </Section>
  );
}
