/** Personas with different DID documents. */
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

/** Returns endpoints for documentation, data API and visibility, and one that browsers cannot open. */
export function endpointsFor(visibility: string): readonly ServiceEndpointInput[] {
  return [
    { id: '#docs', serviceType: 'Documentation', serviceEndpoint: DOCUMENTATION_URL },
    { id: '#data', serviceType: 'DataApi', serviceEndpoint: DATA_API_URL },
    { id: '#visibility', serviceType: 'DataVisibility', serviceEndpoint: visibility },
    { id: '#telemetry', serviceType: 'Telemetry', serviceEndpoint: 'mqtt://broker.example.com' },
  ];
}

/** Returns the profile members of a machine with `endpointsFor(visibility)`. */
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

/** Returns the card members of a machine with `endpointsFor(visibility)`. */
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

/** Event with the members that the profile shows. */
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
    about: 'Names its data API and publishes no data.',
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
    about: 'Publishes its events: converted, not convertible, and with metadata that is not an object.',
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
    about: 'Makes its data API public; the service does not fetch it by default.',
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
    about: 'Document and metadata contain scripts, control characters, invalid UTF-8 and unusable links.',
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
