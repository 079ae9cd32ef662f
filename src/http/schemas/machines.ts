/** What do the answers about one machine look like? (http-facts 4 to 6, decisions 1 and 4.) */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  closedObject,
  COUNT,
  COUNT_OR_NULL,
  DECIMAL_TEXT,
  exactly,
  FLAG,
  INTEGER,
  INTEGER_OR_NULL,
  listOf,
  machineDid,
  MACHINE_ID,
  NONEMPTY_TEXT,
  operatorDidOrNull,
  TEXT,
  TEXT_OR_NULL,
  UNIX_SECONDS,
  word,
  wordOrNull,
  type JsonSchema,
} from './json-schema.ts';

export const LETTER = word('AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'NR', 'Provisioned');
export const SCORE: JsonSchema = { type: 'integer', minimum: 0, maximum: 100 };
export const MACHINE_NAME: JsonSchema = { type: 'string', pattern: '^Machine #[1-9][0-9]{0,77}$' };
const VISIBILITY = word('private', 'onchain', 'public');
export const HOME_CHAIN: JsonSchema = {
  type: 'integer',
  description: 'Protocol chain ordinal; alt-chain machines only.',
};
export const RATING_UNAVAILABLE: JsonSchema = {
  ...NONEMPTY_TEXT,
  description: 'Why there is no rating; alt-chain machines only, absent once there is one.',
};
export const ALT_CHAIN_ONLY = ['home_chain', 'rating_unavailable'];

export const STANDING = { bond_status: word('bonded', 'unbonded'), negative_flag: FLAG, event_count: COUNT };

export function mcrMembers(namespace: Namespace) {
  return {
    did: machineDid(namespace),
    machine_id: MACHINE_ID,
    mcr_score: SCORE,
    mcr: LETTER,
    mcr_degraded: FLAG,
    ...STANDING,
    revenue_event_count: COUNT,
    activity_event_count: COUNT,
    revenue_trend: wordOrNull(['up', 'stable', 'down', 'insufficient']),
    total_revenue: { ...COUNT, description: 'US cents of qualifying revenue.' },
    average_revenue_per_event: { type: ['number', 'null'], minimum: 0, description: 'US cents.' },
    last_updated: { ...COUNT_OR_NULL, description: 'Unix time of the newest event; null: no event.' },
    home_chain: HOME_CHAIN,
    rating_unavailable: RATING_UNAVAILABLE,
    summary: NONEMPTY_TEXT,
  };
}

export function mcrRecordSchema(namespace: Namespace): JsonSchema {
  return closedObject(mcrMembers(namespace), ALT_CHAIN_ONLY);
}

const HUNDREDTHS = { ...COUNT, description: 'Hundredths of a point.' };

function factor(name: string, measure: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return closedObject({
    name: exactly(name),
    points_hundredths: HUNDREDTHS,
    max_hundredths: HUNDREDTHS,
    measure: closedObject(measure),
  });
}

const FACTOR: JsonSchema = {
  oneOf: [
    factor('revenue', { usd_cents: COUNT, verified_usd_cents: COUNT }),
    factor('cadence', { weeks: COUNT, days: COUNT, verified_weeks: COUNT, verified_days: COUNT }),
    factor('trend', {
      basis: word('revenue', 'activity', 'none'),
      percent: INTEGER_OR_NULL,
      even_percent: INTEGER_OR_NULL,
    }),
    factor('trust', { source: word('flag', 'override', 'none', 'events'), percent_hundredths: COUNT }),
    factor('tenure', { weeks: COUNT }),
  ],
};

const RATING_INPUTS = {
  block: closedObject({
    number: DECIMAL_TEXT,
    hash: { type: 'string', pattern: '^0x[0-9a-f]{64}$' },
    timestamp: UNIX_SECONDS,
  }),
  slot: { ...DECIMAL_TEXT, description: 'Of the facts of the alt chain; alt-chain machines only.' },
  now: UNIX_SECONDS,
  subscription: word('NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'),
  negative_flag_at: DECIMAL_TEXT,
  trust_override: INTEGER_OR_NULL,
  prior_events: COUNT,
  event_count: COUNT,
  rates: closedObject({ feed: FLAG, through: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } }),
};

const REASON = closedObject({
  code: NONEMPTY_TEXT,
  lost_hundredths: {
    ...COUNT_OR_NULL,
    description: 'Hundredths of a point; null: a gate or a remark, which costs none.',
  },
  text: NONEMPTY_TEXT,
});

export function explanationSchema(namespace: Namespace): JsonSchema {
  const members = {
    ...mcrMembers(namespace),
    model: NONEMPTY_TEXT,
    total_hundredths: { ...COUNT_OR_NULL, description: 'The score before rounding, in hundredths of a point.' },
    factors: listOf(FACTOR),
    dormancy: { anyOf: [closedObject({ idle_days: COUNT_OR_NULL, lost_hundredths: COUNT }), { type: 'null' }] },
    reasons: listOf(REASON),
    availability: {
      ...word('available', 'paused', 'deactivated', 'unreadable'),
      description: 'Whether somebody has stopped the machine; no part of the rating.',
    },
    inputs: closedObject(RATING_INPUTS, ['slot']),
  };
  return closedObject(members, ALT_CHAIN_ONLY);
}

/** What stands in the chain and in partners' data is anyone's. */
const FOREIGN_OBJECT: JsonSchema = { type: 'object', description: 'As it was found.' };

export const ACTIVITY_MEMBERS = {
  event_type: INTEGER,
  origin_value: COUNT,
  timestamp: COUNT,
  trust_level: COUNT,
  metadata: FOREIGN_OBJECT,
};

/** What revenue carries besides. */
export const REVENUE_MEMBERS = {
  event_type: exactly(0),
  origin_currency: { type: 'string', pattern: '^[A-Z0-9]{3,10}$' },
  usd_value: { ...COUNT_OR_NULL, description: 'US cents.' },
  origin_subunit: { type: ['integer', 'null'], minimum: 1 },
  usd_subunit: exactly(100),
  amount_status: word('ok', 'unsupported_currency', 'fx_unavailable'),
};

const SHOWN_EVENT: JsonSchema = {
  anyOf: [closedObject(ACTIVITY_MEMBERS), closedObject({ ...ACTIVITY_MEMBERS, ...REVENUE_MEMBERS })],
};

const DATA_MEMBERS = {
  data_api: TEXT,
  event_data: listOf(SHOWN_EVENT),
  partner_data: FOREIGN_OBJECT,
  partner_data_error: word('not_fetched', 'no_data_api', 'unreachable', 'invalid'),
};

const ALT_MEMBERS = {
  home_chain: HOME_CHAIN,
  rating_unavailable: RATING_UNAVAILABLE,
  owner: NONEMPTY_TEXT,
  controller: TEXT_OR_NULL,
  machine_type: TEXT,
  relocating: exactly(false),
};

const LINK: JsonSchema = { type: 'string', pattern: '^https?://' };

/** What marketplaces show of a token. */
function marketplaceMembers(namespace: Namespace) {
  const trait = { trait_type: NONEMPTY_TEXT };
  return {
    description: exactly(namespace.card_description),
    image: LINK,
    external_url: LINK,
    attributes: listOf({
      anyOf: [
        closedObject({ ...trait, value: NONEMPTY_TEXT }),
        closedObject({ ...trait, value: COUNT, max_value: COUNT }),
        closedObject({ ...trait, display_type: exactly('number'), value: COUNT }),
      ],
    }),
  };
}

/** What agents read of a registration. */
const AGENT_MEMBERS = {
  image: LINK,
  x402Support: exactly(false),
  supportedTrust: { ...listOf(NONEMPTY_TEXT), maxItems: 0 },
};

export function profileSchema(namespace: Namespace): JsonSchema {
  const members = {
    machine_id: MACHINE_ID,
    did: machineDid(namespace),
    operator: operatorDidOrNull(namespace),
    mcr: LETTER,
    mcr_score: SCORE,
    ...STANDING,
    data_visibility: VISIBILITY,
    documentation_url: TEXT_OR_NULL,
    service_endpoints: listOf(closedObject({ id: TEXT, type: TEXT, endpoint: TEXT })),
    ...DATA_MEMBERS,
    ...ALT_MEMBERS,
  };
  const optional = [...Object.keys(DATA_MEMBERS), ...Object.keys(ALT_MEMBERS)];
  const marketplace = marketplaceMembers(namespace);
  return closedObject(
    {
      schema_version: exactly('1.0'),
      name: MACHINE_NAME,
      [namespace.profile_object]: closedObject(members, optional),
      ...marketplace,
    },
    Object.keys(marketplace),
  );
}

export function cardSchema(namespace: Namespace): JsonSchema {
  const registration = closedObject({
    type: exactly(namespace.registration_type),
    machineId: MACHINE_ID,
    machineRegistry: { type: 'string', pattern: '^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}:.+$' },
  });
  const members = {
    type: exactly(namespace.registration_type),
    name: MACHINE_NAME,
    description: exactly(namespace.card_description),
    did: machineDid(namespace),
    active: exactly(true),
    services: listOf(closedObject({ name: TEXT, endpoint: TEXT })),
    data_visibility: VISIBILITY,
    documentation_url: { ...TEXT, description: 'Empty: none.' },
    operator: operatorDidOrNull(namespace),
    bond_status: STANDING.bond_status,
    event_count: STANDING.event_count,
    registrations: { ...listOf(registration), minItems: 1, maxItems: 1 },
    home_chain: HOME_CHAIN,
    rating_unavailable: RATING_UNAVAILABLE,
    ...AGENT_MEMBERS,
  };
  return closedObject(members, [...ALT_CHAIN_ONLY, ...Object.keys(AGENT_MEMBERS)]);
}
