/** Which events is the rating made of, as far as the owner lets everybody see them? */
import { useState } from 'preact/hooks';
import { ask, useAnswer } from './answers.ts';
import { formatAmount, formatCents, toPlainText } from './formats.ts';
import { Id, RefusalNotice, Section, Skeleton, When } from './marks.tsx';
import type { EventListing, Profile, ShownEvent } from './wire.ts';
import { JUDGEMENTS, TRUST_LEVELS } from './words.ts';

const PAGE = 20;
const NO_TRANSACTION = /^0x0*$/;

const CLOSED: Readonly<Record<Profile['data_visibility'], string>> = {
  private: 'The owner keeps the events of this machine private. They are counted, not shown.',
  public: 'The owner points to an address where the data are; this page does not load what strangers host.',
  onchain: 'The newest events are not indexed yet.',
};

export function EventTable({ id, profile }: { readonly id: string; readonly profile: Profile | undefined }) {
  const isShown = profile !== undefined && profile.data_visibility !== 'private';
  const listing = useAnswer<EventListing>(isShown ? `/machines/${id}/events?limit=${PAGE}` : undefined);
  const { answer, refusal } = listing;
  const isLeftOut = refusal?.status === 404 || refusal?.status === 403;
  return (
    <Section title="Events">
      {answer !== undefined ? (
        <Pages key={answer.receivedAtMilliseconds} id={id} first={answer.body} />
      ) : refusal !== undefined && !isLeftOut ? (
        <RefusalNotice followed={listing} subject="listing of events" />
      ) : profile === undefined || (isShown && refusal === undefined) ? (
        <Skeleton lines={4} />
      ) : profile.event_data === undefined ? (
        <p class="quiet">{CLOSED[profile.data_visibility]}</p>
      ) : (
        <Rows events={profile.event_data.toReversed()} />
      )}
    </Section>
  );
}

function Pages({ id, first }: { readonly id: string; readonly first: EventListing }) {
  const [{ events, next_cursor: cursor }, setListing] = useState(first);
  const [problem, setProblem] = useState('');
  const more = async () => {
    const path = `/machines/${id}/events?limit=${PAGE}&cursor=${cursor}`;
    const { answer, refusal } = await ask<EventListing>(path);
    setProblem(refusal === undefined ? '' : 'Older events cannot be read now.');
    if (answer !== undefined) setListing({ ...answer.body, events: [...events, ...answer.body.events] });
  };
  return (
    <>
      <Rows events={events} />
      {cursor !== null && (
        <p class="buttons">
          <button type="button" class="second" onClick={() => void more()}>
            Older events
          </button>
        </p>
      )}
      <p role="status" class="note">
        {problem}
      </p>
    </>
  );
}

function Rows({ events }: { readonly events: readonly ShownEvent[] }) {
  if (events.length === 0) return <p class="quiet">There are no events.</p>;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Events, newest first">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number">
              In USD
            </th>
            <th scope="col">Source</th>
            <th scope="col">Transaction</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event, row) => (
            <Row key={event.position ?? row} event={event} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ event }: { readonly event: ShownEvent }) {
  const { event_type, timestamp, trust_level, metadata, judgement = 'sound', source_tx_hash: transaction } = event;
  const details = toPlainText(metadata);
  return (
    <tr>
      <td data-label="When">
        <When seconds={timestamp} />
      </td>
      <td data-label="What">
        {event_type === 0 ? 'revenue' : event_type === 1 ? 'activity' : `type ${event_type}`}
        {judgement !== 'sound' && <span class="quiet"> {JUDGEMENTS[judgement]}</span>}
      </td>
      <td data-label="Amount" class="number">
        {formatOrigin(event)}
      </td>
      <td data-label="In USD" class="number">
        {formatUsd(event)}
      </td>
      <td data-label="Source">{TRUST_LEVELS[trust_level] ?? `level ${trust_level}`}</td>
      <td data-label="Transaction">
        {transaction === undefined || NO_TRANSACTION.test(transaction) ? (
          '–'
        ) : (
          <Id id={transaction} label="transaction" ends={5} />
        )}
      </td>
      <td data-label="Details">{details === '{}' ? '–' : <bdi class="stranger">{details}</bdi>}</td>
    </tr>
  );
}

function formatOrigin({ origin_value, origin_currency, origin_subunit }: ShownEvent): string {
  return origin_currency === undefined ? '–' : formatAmount(origin_value, origin_currency, origin_subunit);
}

function formatUsd({ event_type, usd_value }: ShownEvent): string {
  if (event_type !== 0) return '–';
  return typeof usd_value === 'number' ? formatCents(usd_value) : 'no rate';
}
