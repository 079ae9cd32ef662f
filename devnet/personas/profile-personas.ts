/**
 * Machines that differ by what their DID document says.
 */
import { NO_HISTORY, SHORT_HISTORY } from './histories.ts';
import type { ExpectedRating } from './histories.ts';
import { activateHostile, HOSTILE_METADATA, HOSTILE_NAME } from './hostile-document.ts';
import type { ServiceEndpointInput } from '../main-chain/calls.ts';
import { served } from './persona.ts';
import type { Persona } from './persona.ts';
import { eventTimestamp } from './planned-event.ts';
import type { PlannedEvent } from './planned-event.ts';

const DOCUMENTATION_URL = 'https://docs.example.com/machine';
const DATA_API_URL = 'https://data.example.com/v1/machine';

/** A document that names documentation, data API and visibility, and a service that no browser opens. */
export function endpointsFor(visibility: string): readonly ServiceEndpointInput[] {
  return [
    { id: '#docs', serviceType: 'Documentation', serviceEndpoint: DOCUMENTATION_URL },
    { id: '#data', serviceType: 'DataApi', serviceEndpoint: DATA_API_URL },
    { id: '#visibility', serviceType: 'DataVisibility', serviceEndpoint: visibility },
    { id: '#telemetry', serviceType: 'Telemetry', serviceEndpoint: 'mqtt://broker.example.com' },
  ];
}

/** The members of its profile. */
export function expectedProfile(visibility: string): object {
  return {
    data_visibility: visibility,
    documentation_url: DOCUMENTATION_URL,
    service_endpoints: endpointsFor(visibility).map(({ id, serviceType, serviceEndpoint }) => ({
      id,
      type: serviceType,
      endpoint: serviceEndpoint,
    })),
  };
}

/** The members of its card. */
export function expectedCard(visibility: string): object {
  return {
    data_visibility: visibility,
    documentation_url: DOCUMENTATION_URL,
    services: [
      { name: 'web', endpoint: DATA_API_URL },
      { name: 'Documentation', endpoint: DOCUMENTATION_URL },
    ],
  };
}

/** An event that is shown, and how. */
interface ShownEvent {
  readonly event: PlannedEvent;
  readonly shown: object;
}

const USD_SUBUNIT = 100;

/** Four events on four days over 15 days, two of them converted: USD 50, and EUR 80 at 1.25. */
const SHOWN_EVENTS: readonly ShownEvent[] = [
  {
    event: { daysAgo: 20, eventType: 0, value: 5_000n, currency: 'USD', trustLevel: 0, metadata: '{"job":"a-1"}' },
    shown: {
      ...{ metadata: { job: 'a-1' }, origin_currency: 'USD', usd_value: 5_000, origin_subunit: 100 },
      ...{ usd_subunit: USD_SUBUNIT, amount_status: 'ok' },
    },
  },
  {
    event: { daysAgo: 15, eventType: 0, value: 8_000n, currency: 'EUR', trustLevel: 1, secondsEarlier: 3_600 },
    shown: {
      ...{ metadata: {}, origin_currency: 'EUR', usd_value: 10_000, origin_subunit: 100 },
      ...{ usd_subunit: USD_SUBUNIT, amount_status: 'ok' },
    },
  },
  {
    event: { daysAgo: 10, eventType: 1, value: 0n, trustLevel: 2, metadata: 'not JSON' },
    shown: { metadata: {} },
  },
  {
    event: { daysAgo: 5, eventType: 0, value: 700n, currency: 'ZZZ', trustLevel: 2, metadata: '[1,2]' },
    shown: {
      ...{ metadata: {}, origin_currency: 'ZZZ', usd_value: null, origin_subunit: null },
      ...{ usd_subunit: USD_SUBUNIT, amount_status: 'unsupported_currency' },
    },
  },
];

function toShownEvents(now: number): object[] {
  return SHOWN_EVENTS.map(({ event, shown }) => ({
    event_type: event.eventType,
    origin_value: Number(event.value),
    timestamp: eventTimestamp(now, event),
    trust_level: event.trustLevel,
    ...shown,
  }));
}

const SHOWN_RATING: ExpectedRating = {
  ...NO_HISTORY.rating,
  mcr_degraded: true,
  event_count: 4,
  revenue_event_count: 3,
  activity_event_count: 1,
  total_revenue: 15_000,
  average_revenue_per_event: 7_500,
  summary:
    'Provisioned: 4 of 10 qualifying events, 4 of 5 days and 15 of 30 days of history. Some amounts could not be converted to USD.',
};

const ACTIVATED_DAYS_AGO = 120;

export const PROFILE_PERSONAS: readonly Persona[] = [
  {
    name: 'visibility-private',
    about: 'Shows where its data are, and none of them.',
    home: 'main',
    activatedDaysAgo: ACTIVATED_DAYS_AGO,
    serviceEndpoints: endpointsFor('private'),
    events: SHORT_HISTORY.events,
    expected: served(SHORT_HISTORY.rating, {
      profile: () => ({ ...expectedProfile('private'), data_api: DATA_API_URL }),
      card: expectedCard('private'),
    }),
  },
  {
    name: 'visibility-onchain',
    about: 'Shows its events: converted, not convertible, and with metadata that is no object.',
    home: 'main',
    activatedDaysAgo: ACTIVATED_DAYS_AGO,
    serviceEndpoints: endpointsFor('onchain'),
    events: SHOWN_EVENTS.map(({ event }) => event),
    expected: served(SHOWN_RATING, {
      profile: (now) => ({ ...expectedProfile('onchain'), event_data: toShownEvents(now) }),
      card: expectedCard('onchain'),
    }),
  },
  {
    name: 'visibility-public',
    about: 'Lets anyone read its data API, which the service does not fetch by default.',
    home: 'main',
    activatedDaysAgo: ACTIVATED_DAYS_AGO,
    serviceEndpoints: endpointsFor('public'),
    events: SHORT_HISTORY.events,
    expected: served(SHORT_HISTORY.rating, {
      profile: () => ({ ...expectedProfile('public'), partner_data_error: 'not_fetched' }),
      card: expectedCard('public'),
    }),
  },
  {
    name: HOSTILE_NAME,
    about:
      'Its document and metadata hold scripts, control characters, bytes that are no text, and links that are none.',
    home: 'main',
    activatedDaysAgo: ACTIVATED_DAYS_AGO,
    activate: activateHostile,
    events: SHORT_HISTORY.events.map((event, index) => ({ ...event, metadata: HOSTILE_METADATA[index]! })),
    expected: served(SHORT_HISTORY.rating, {
      profile: () => ({ data_visibility: 'private', documentation_url: null }),
      card: { data_visibility: 'private', documentation_url: '' },
    }),
  },
];
