/** Which machines told of something last, and how fresh is that? A first look for whoever has no id yet. */
import { useAnswer } from './answers.ts';
import { formatCount, shorten } from './formats.ts';
import { LetterMark } from './letter-mark.tsx';
import { RefusalNotice, Section, Skeleton, When } from './marks.tsx';
import { machinePath } from './places.ts';
import type { ActiveMachines } from './wire.ts';
import { plural } from './words.ts';

const REFRESH_SECONDS = 30;
const SHOWN = 10;

type Machine = ActiveMachines['machines'][number];

export function ActiveSection() {
  const followed = useAnswer<ActiveMachines>(`/active-machines?limit=${SHOWN}`, REFRESH_SECONDS);
  const { answer, refusal } = followed;
  // A deployment can leave this out; then there is nothing to say about it.
  if (refusal?.status === 404) return null;
  return (
    <Section title="Recently active">
      {answer !== undefined ? (
        <List list={answer.body} />
      ) : refusal !== undefined ? (
        <RefusalNotice followed={followed} subject="list of active machines" />
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
        <p class="quiet">No machine has told of anything yet.</p>
      ) : (
        <ul class="active">
          {machines.map((machine) => (
            <Row key={machine.machine_id} machine={machine} />
          ))}
        </ul>
      )}
      {unreadable > 0 && <p class="note">{plural(unreadable, 'machine')} of the list cannot be read now.</p>}
      <Freshness list={list} />
    </>
  );
}

function Row({
  machine: { machine_id: id, mcr, mcr_score, rating_unavailable, event_count, last_event_at },
}: {
  readonly machine: Machine;
}) {
  return (
    <li>
      <a href={machinePath(id)} title={id}>
        #{shorten(id, 6)}
      </a>
      <span class="rating">
        {rating_unavailable === undefined ? (
          <>
            <LetterMark letter={mcr} /> <span class="quiet">{mcr_score} of 100</span>
          </>
        ) : (
          <span class="quiet">second chain, {plural(event_count, 'event')}</span>
        )}
      </span>
      <span class="quiet">
        <When seconds={last_event_at} />
      </span>
    </li>
  );
}

/** Said always, because the list is only as new as what chose it. */
function Freshness({ list: { operator_index: index, solana_indexer: alt } }: { readonly list: ActiveMachines }) {
  const isBehind = index?.ready === false || alt?.ready === false;
  const told = [
    ...(isBehind ? ['The list may be old: an index is behind.'] : []),
    ...(typeof index?.indexed_block === 'number' ? [`Events up to block ${formatCount(index.indexed_block)}.`] : []),
    ...(typeof index?.lag_blocks === 'number' ? [`${plural(index.lag_blocks, 'block')} behind the newest.`] : []),
    ...(typeof alt?.slot === 'number' ? [`Second chain up to slot ${formatCount(alt.slot)}.`] : []),
  ];
  return <p class={isBehind ? 'notice fair' : 'note'}>{told.join(' ')}</p>;
}
