/** List of the machines with the latest events, and how current it is. */
import { chains } from '../parts/chains.ts';
import { useQuery } from '../parts/queries.ts';
import { RatingMark } from '../parts/rating-mark.tsx';
import { FailureNotice, MachineLink, Section, Skeleton, When } from '../parts/components.tsx';
import { UNAVAILABLE_TEXTS } from '../operator/texts.ts';
import type { ActiveMachines } from '../parts/wire.ts';
import { isRated } from '../parts/texts.ts';
import { describeIndexed, describeSlot, describeUnreadable, LIST_BEHIND, NO_ACTIVE_MACHINES } from './texts.ts';

const REFRESH_SECONDS = 30;
const SHOWN = 10;

type Machine = ActiveMachines['machines'][number];

export function ActiveSection() {
  const query = useQuery<ActiveMachines>(`/active-machines?limit=${SHOWN}`, REFRESH_SECONDS);
  const { response, failure } = query;
  // The deployment does not serve this route.
  if (failure?.status === 404) return null;
  return (
    <Section title="Recently active">
      {response !== undefined ? (
        <List list={response.body} />
      ) : failure !== undefined ? (
        <FailureNotice query={query} subject="list of recently active machines" />
      ) : (
        <Skeleton lines={6} />
      )}
    </Section>
  );
}

function List({ list }: { readonly list: ActiveMachines }) {
  const { machines, unreadable } = list;
  return (
    <>
      {machines.length === 0 ? (
        <p class="quiet">{NO_ACTIVE_MACHINES}</p>
      ) : (
        <ul class="active">
          {machines.map((machine) => (
            <Row key={machine.machine_id} machine={machine} />
          ))}
        </ul>
      )}
      {unreadable > 0 && <p class="note">{describeUnreadable(unreadable)}</p>}
      <Freshness list={list} />
    </>
  );
}

function Row({
  machine: { machine_id: id, mcr, mcr_score, rating_unavailable, last_event_at },
}: {
  readonly machine: Machine;
}) {
  return (
    <li>
      <MachineLink id={id} />
      <span class="rating">
        {rating_unavailable === undefined ? (
          <>
            <RatingMark letter={mcr} /> {isRated(mcr) && <span class="quiet">{mcr_score} of 100</span>}
          </>
        ) : (
          <span class="quiet">{UNAVAILABLE_TEXTS[rating_unavailable]}</span>
        )}
      </span>
      <span class="quiet">
        <When seconds={last_event_at} />
      </span>
    </li>
  );
}

/** Shown always: the list is only as current as its indexes. */
function Freshness({ list: { operator_index: index, solana_indexer: alt } }: { readonly list: ActiveMachines }) {
  const isBehind = index?.ready === false || alt?.ready === false;
  const parts = [
    ...(isBehind ? [LIST_BEHIND] : []),
    ...(typeof index?.indexed_block === 'number' ? [describeIndexed(index.indexed_block, index.lag_blocks)] : []),
    ...(typeof alt?.slot === 'number' ? [describeSlot(chains.alt.name, alt.slot)] : []),
  ];
  return <p class={isBehind ? 'notice fair' : 'note'}>{parts.join(' ')}</p>;
}
