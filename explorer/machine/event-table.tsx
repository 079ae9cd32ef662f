/** Table of a machine's events, as far as the owner's visibility setting allows. */
import { useState } from 'preact/hooks';
import { chains, explorerUrl } from '../parts/chains.ts';
import { requestJson, useQuery } from '../parts/queries.ts';
import { FileDownload } from '../parts/file-download.tsx';
import { formatAmount, formatCents, formatCount, shorten, toPlainText } from '../parts/formats.ts';
import { Id, FailureNotice, Section, Skeleton, When } from '../parts/components.tsx';
import type { EventEntry, EventListing, Profile, ShownEvent } from '../parts/wire.ts';
import { EVENT_EXCLUSIONS, plural, TRUST_LEVELS } from '../parts/texts.ts';
import { useUrlState } from '../parts/url-state.ts';
import { formatEventsCsv, loadAllEvents } from './event-export.ts';
import { CLASS_FILTERS, EVENT_CLASSES, EVENT_FILTERS, NO_MATCHING_EVENTS, VERDICT_TEXTS } from './texts.ts';

const PAGE = 20;
const NO_TRANSACTION = /^0x0*$/;

const HIDDEN_TEXTS: Readonly<Record<Profile['data_visibility'], string>> = {
  private: 'The owner keeps the events of this machine private. They count toward the rating but are not shown.',
  public: 'The owner publishes the events at an external address. This page does not load external data.',
  onchain:
    'The owner publishes the events on the chain, and the newest are not indexed yet. Reload the page in a minute.',
};

export function EventTable({ id, profile }: { readonly id: string; readonly profile: Profile | undefined }) {
  const isShown = profile !== undefined && profile.data_visibility !== 'private';
  const query = useQuery<EventListing>(isShown ? `/machines/${id}/events?limit=${PAGE}` : undefined);
  const { response, failure } = query;
  const isUnavailable = failure?.status === 404 || failure?.status === 403;
  return (
    <Section title="Events">
      {response !== undefined ? (
        <Pages key={response.receivedAtMilliseconds} id={id} first={response.body} />
      ) : failure !== undefined && !isUnavailable ? (
        <FailureNotice query={query} subject="event list" />
      ) : profile === undefined || (isShown && failure === undefined) ? (
        <Skeleton lines={4} />
      ) : profile.event_data === undefined ? (
        <p class="quiet">{HIDDEN_TEXTS[profile.data_visibility]}</p>
      ) : (
        <Rows events={profile.event_data.toReversed()} />
      )}
    </Section>
  );
}

type TypeFilter = (typeof EVENT_FILTERS)[number]['key'];
type ClassFilter = (typeof CLASS_FILTERS)[number]['key'];

function Pages({ id, first }: { readonly id: string; readonly first: EventListing }) {
  const [{ events, next_cursor: cursor, event_count: total }, setListing] = useState(first);
  const [problem, setProblem] = useState('');
  const [state, change] = useUrlState();
  const type = EVENT_FILTERS.find(({ key }) => key === state.get('type'))?.key ?? 'all';
  const evidence = CLASS_FILTERS.find(({ key }) => key === state.get('class'))?.key ?? 'all';
  const shown = events.filter((event) => matches(event, type, evidence));
  const more = async () => {
    const path = `/machines/${id}/events?limit=${PAGE}&cursor=${cursor!}`;
    const { response, failure } = await requestJson<EventListing>(path);
    setProblem(failure === undefined ? '' : 'Older events could not be loaded. Try again.');
    if (response !== undefined) setListing({ ...response.body, events: [...events, ...response.body.events] });
  };
  return (
    <>
      <div class="filters">
        <Choice
          name="Type"
          options={EVENT_FILTERS}
          value={type}
          onChoice={(key) => change({ type: key === 'all' ? undefined : key })}
        />
        <Choice
          name="Evidence"
          options={CLASS_FILTERS}
          value={evidence}
          onChoice={(key) => change({ class: key === 'all' ? undefined : key })}
        />
        <EventDownload id={id} />
      </div>
      <p class="note" role="status">
        {formatCount(shown.length)} of {formatCount(events.length)} loaded; {plural(total, 'event')} in all.
      </p>
      {events.length > 0 && shown.length === 0 ? <p class="quiet">{NO_MATCHING_EVENTS}</p> : <Rows events={shown} />}
      {cursor !== null && (
        <p class="buttons">
          <button type="button" class="second" onClick={() => void more()}>
            Load older events
          </button>
        </p>
      )}
      <p role="status" class="note">
        {problem}
      </p>
    </>
  );
}

function matches({ event_type, class: evidence }: EventEntry, type: TypeFilter, wanted: ClassFilter): boolean {
  const isType = type === 'all' || (event_type === 0 ? 'revenue' : 'activity') === type;
  return isType && (wanted === 'all' || (evidence ?? 'none') === wanted);
}

function Choice<K extends string>({
  name,
  options,
  value,
  onChoice,
}: {
  readonly name: string;
  readonly options: readonly { readonly key: K; readonly name: string }[];
  readonly value: K;
  readonly onChoice: (key: K) => void;
}) {
  return (
    <label>
      {name}{' '}
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value as K)}>
        {options.map((option) => (
          <option key={option.key} value={option.key}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Saves all events, not the loaded ones alone. */
function EventDownload({ id }: { readonly id: string }) {
  const load = async (report: (progress: string) => void) => {
    const events = await loadAllEvents(id, (count) => report(`${plural(count, 'event')} loaded…`));
    return events && formatEventsCsv(events);
  };
  return <FileDownload file={`events-${shorten(id, 4)}.csv`} subject="events" load={load} />;
}

function Rows({ events }: { readonly events: readonly ShownEvent[] }) {
  if (events.length === 0) return <p class="quiet">This machine has no events yet.</p>;
  const hasEvidence = events.some((event) => event.class !== undefined);
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Events, newest first">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Type</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number">
              USD
            </th>
            <th scope="col">Reported as</th>
            {hasEvidence && <th scope="col">Evidence</th>}
            <th scope="col">Transaction</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event, row) => (
            <Row key={event.position ?? row} event={event} hasEvidence={hasEvidence} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ event, hasEvidence }: { readonly event: ShownEvent; readonly hasEvidence: boolean }) {
  const { event_type, timestamp, trust_level, metadata, judgement = 'sound', source_tx_hash: transaction } = event;
  const details = toPlainText(metadata);
  return (
    <tr>
      <td data-label="When">
        <When seconds={timestamp} isExact />
      </td>
      <td data-label="Type">
        {event_type === 0 ? 'revenue' : event_type === 1 ? 'activity' : `type ${event_type}`}
        {judgement !== 'sound' && <span class="quiet"> {EVENT_EXCLUSIONS[judgement]}</span>}
      </td>
      <td data-label="Amount" class="number">
        {formatOrigin(event)}
      </td>
      <td data-label="USD" class="number">
        {formatUsd(event)}
      </td>
      <td data-label="Reported as">{TRUST_LEVELS[trust_level] ?? `level ${trust_level}`}</td>
      {hasEvidence && (
        <td data-label="Evidence">
          {event.class === undefined || event.class === null ? '–' : EVENT_CLASSES[event.class]}
          {isExplained(event) && <span class="quiet"> ({VERDICT_TEXTS[event.verdict]})</span>}
        </td>
      )}
      <td data-label="Transaction">
        {transaction === undefined || NO_TRANSACTION.test(transaction) ? (
          '–'
        ) : (
          <Transaction hash={transaction} chainId={event.source_chain_id} />
        )}
      </td>
      <td data-label="Details">{details === '{}' ? '–' : <bdi class="stranger">{details}</bdi>}</td>
    </tr>
  );
}

/** Links a transaction of the main chain to its block explorer. */
function Transaction({ hash, chainId }: { readonly hash: string; readonly chainId: string | undefined }) {
  const url = chainId === chains.main.id ? explorerUrl('main', 'tx', hash) : undefined;
  return <Id id={hash} label="transaction" ends={5} {...(url !== undefined && { href: url })} />;
}

function formatOrigin({ origin_value, origin_currency, origin_subunit }: ShownEvent): string {
  return origin_currency === undefined ? '–' : formatAmount(origin_value, origin_currency, origin_subunit);
}

function formatUsd({ event_type, usd_value }: ShownEvent): string {
  if (event_type !== 0) return '–';
  return typeof usd_value === 'number' ? formatCents(usd_value) : 'no rate';
}

/** A payment that does not count is explained; one that counts, or that no event cites, needs no words. */
function isExplained(
  event: ShownEvent,
): event is ShownEvent & { readonly verdict: NonNullable<EventEntry['verdict']> } {
  const { verdict } = event;
  return verdict !== undefined && verdict !== null && verdict !== 'declared' && verdict !== 'paid';
}
