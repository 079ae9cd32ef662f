/** Which events is the rating made of, as far as the owner lets everybody see them? */
import { formatAmount, formatCents, toPlainText } from './formats.ts';
import { Section, Skeleton, When } from './marks.tsx';
import type { Profile, ShownEvent } from './wire.ts';
import { TRUST_LEVELS } from './words.ts';

const CLOSED: Readonly<Record<Profile['data_visibility'], string>> = {
  private: 'The owner keeps the events of this machine private. They are counted, not shown.',
  public: 'The owner points to an address where the data are; this page does not load what strangers host.',
  onchain: '',
};

export function EventTable({ profile }: { readonly id: string; readonly profile: Profile | undefined }) {
  return (
    <Section title="Events">
      {profile === undefined ? (
        <Skeleton lines={4} />
      ) : profile.event_data === undefined ? (
        <p class="quiet">{CLOSED[profile.data_visibility] || 'The newest events are not indexed yet.'}</p>
      ) : profile.event_data.length === 0 ? (
        <p class="quiet">There are no events.</p>
      ) : (
        <Rows events={profile.event_data} />
      )}
    </Section>
  );
}

function Rows({ events }: { readonly events: readonly ShownEvent[] }) {
  const newestFirst = [...events].sort((a, b) => b.timestamp - a.timestamp);
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
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {newestFirst.map((event, row) => (
            <Row key={row} event={event} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ event }: { readonly event: ShownEvent }) {
  const { event_type, origin_value, origin_currency, origin_subunit, usd_value, timestamp, trust_level, metadata } =
    event;
  const details = toPlainText(metadata);
  return (
    <tr>
      <td data-label="When">
        <When seconds={timestamp} />
      </td>
      <td data-label="What">{event_type === 0 ? 'revenue' : event_type === 1 ? 'activity' : `type ${event_type}`}</td>
      <td data-label="Amount" class="number">
        {origin_currency === undefined ? '–' : formatAmount(origin_value, origin_currency, origin_subunit)}
      </td>
      <td data-label="In USD" class="number">
        {event_type !== 0 ? '–' : typeof usd_value === 'number' ? formatCents(usd_value) : 'no rate'}
      </td>
      <td data-label="Source">{TRUST_LEVELS[trust_level] ?? `level ${trust_level}`}</td>
      <td data-label="Details">{details === '{}' ? '–' : <bdi class="stranger">{details}</bdi>}</td>
    </tr>
  );
}
