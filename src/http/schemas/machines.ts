/** Schemas of the responses about one machine: rating, explanation, profile and card (http-facts 4 to 6, decisions 1 and 4). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { MAX_ALT_MACHINE_BYTES } from '../../domain/alt-chain/alt-machine-facts.ts';
import { MAX_EVENT_CENTS, MAX_TOTAL_HUNDREDTHS, MODEL, PAYMENT, TREND, TRUST } from '../../domain/rating/constants.ts';
import { DEDUCTION_TEXTS, NOTICE_TEXTS } from '../../domain/rating/reasons.ts';
import { CURRENCY_CODE } from '../../domain/rating/currency.ts';
import { CAIP_19, EXAMPLE_ACCOUNT, EXAMPLE_ASSET, MAIN_ACCOUNT } from './caip.ts';
import { VERDICTS } from '../../domain/rating/verdict.ts';
import { exampleOf } from './example.ts';
import {
  ACCOUNT_TEXT,
  addressDid,
  BASE58_KEY,
  BYTE,
  closedObject,
  COUNT,
  DECIMAL_TEXT,
  described,
  exactly,
  EXAMPLE_HASH,
  FLAG,
  HASH,
  listOf,
  machineDid,
  MACHINE_ID,
  NONEMPTY_TEXT,
  NUMBER,
  ORDINAL,
  orNull,
  PUBLISHED_URL,
  refer,
  SENTENCE,
  TEXT,
  UINT256_NUMBER,
  UNIX_SECONDS,
  UTC_DAY,
  word,
  type JsonSchema,
  type Properties,
} from './json-schema.ts';

export const LETTER = refer('Letter');
export const SCORE = described({ type: 'integer', minimum: 0, maximum: 100 }, 'Points of 100, rounded.', 95);
export const MACHINE_NAME = described(
  { type: 'string', pattern: '^Machine #[1-9][0-9]{0,77}$' },
  'The display name of the machine.',
  'Machine #42',
);
export const MODEL_NAME = described(
  { type: 'string', pattern: '^mcr/[1-9][0-9]*$' },
  'The version of the rating model.',
  MODEL,
);
const VISIBILITY = described(
  word('private', 'onchain', 'public'),
  'Who may see the events, as the owner published.',
  'onchain',
);

/** Members of alt-chain machines only; each of these responses lists them as optional. */
export const ALT_HOME = {
  home_chain: described(ORDINAL, 'Ordinal of the home chain; alt-chain machines only.'),
  rating_unavailable: described(
    word('no_events_yet', 'indexer_behind', 'not_rated_here'),
    'Why there is no rating; alt-chain machines only, absent when the machine is rated.',
  ),
};
export const ALT_HOME_NAMES: readonly string[] = Object.keys(ALT_HOME);

export const BOND_STATUS = described(word('bonded', 'unbonded'), 'Whether the machine has an active bond.');
export const HAS_NEGATIVE_FLAG = described(
  FLAG,
  'Whether a negative flag is on record. It is in force for 180 days.',
  false,
);
export const EVENT_COUNT = described(COUNT, 'How many events the machine reported.', 121);
const OPERATOR_DID = 'The DID of the operator; null: none is designated.';

export const SUBSCRIPTION = described(
  word('NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'),
  'The state of the bond’s subscription.',
  'Grace',
);

export function mcrMembers(namespace: Namespace) {
  return {
    did: machineDid(namespace),
    machine_id: MACHINE_ID,
    mcr_score: SCORE,
    mcr: LETTER,
    mcr_degraded: described(FLAG, 'Whether some amounts could not be converted to US dollars.', false),
    bond_status: BOND_STATUS,
    negative_flag: HAS_NEGATIVE_FLAG,
    event_count: EVENT_COUNT,
    revenue_event_count: described(COUNT, 'How many of the events report revenue.', 121),
    activity_event_count: described(COUNT, 'How many of the events report activity.', 0),
    revenue_trend: described(
      orNull(word('up', 'stable', 'down', 'insufficient')),
      'Revenue of the last 30 days against the 30 days before; null: not rated.',
      'stable',
    ),
    total_revenue: described(COUNT, 'US cents of qualifying revenue.', 3_630_000),
    average_revenue_per_event: described(
      orNull({ ...NUMBER, minimum: 0 }),
      'US cents, with two decimals; null: not rated.',
      30_000,
    ),
    last_updated: described(orNull(COUNT), 'Unix time of the newest event in seconds; null: no event.', 1_772_413_200),
    ...ALT_HOME,
    summary: described(
      SENTENCE,
      'The rating in one sentence.',
      'Rated AAA with 95 of 100 points; largest deduction: short tenure.',
    ),
  };
}

/** Hundredths of a point, of which there are 100. */
export const POINT_HUNDREDTHS = { ...COUNT, maximum: MAX_TOTAL_HUNDREDTHS };
const EXAMPLE_TRUST = {
  source: 'events',
  percent_hundredths: 10_000,
  declared_usd_cents: 0,
  paid_usd_cents: 0,
  attested_usd_cents: 3_600_000,
};
const EXAMPLE_FACTORS = [
  ['revenue', 2920, 3000, { usd_cents: 2_760_000, verified_usd_cents: 2_760_000 }],
  ['cadence', 2500, 2500, { weeks: 14, days: 92, verified_weeks: 14, verified_days: 92 }],
  ['trend', 1500, 1500, { basis: 'revenue', percent: 100, even_percent: 100 }],
  ['trust', 2000, 2000, EXAMPLE_TRUST],
  ['tenure', 576, 1000, { weeks: 19 }],
].map(([name, points, max, measure]) => ({ name, points_hundredths: points, max_hundredths: max, measure }));

function factor(name: string, description: string, measure: Properties): JsonSchema {
  const members = {
    name: exactly(name),
    points_hundredths: described(POINT_HUNDREDTHS, 'Points earned, in hundredths of a point.'),
    max_hundredths: described(POINT_HUNDREDTHS, 'Points that can be earned, in hundredths of a point.'),
    measure: described(closedObject(measure), 'The measurements that the points follow from.'),
  };
  return described(closedObject(members), description);
}

const PERCENT: JsonSchema = { ...COUNT, maximum: TREND.maxPercent };
const WEEKS = described(COUNT, 'Weeks with a qualifying event.');
const DAYS = described(COUNT, 'Days with a qualifying event.');

/** The factors by the names of their schemas. */
const FACTORS = {
  RevenueFactorEntry: factor('revenue', 'How much the machine earns.', {
    usd_cents: described(COUNT, 'US cents of qualifying revenue in the counted weeks.'),
    verified_usd_cents: described(COUNT, 'The part of it that is paid or attested.'),
  }),
  CadenceFactorEntry: factor('cadence', 'How regularly the machine works.', {
    weeks: WEEKS,
    days: DAYS,
    verified_weeks: described(COUNT, 'Weeks with a paid or attested event.'),
    verified_days: described(COUNT, 'Days with a paid or attested event.'),
  }),
  TrendFactorEntry: factor('trend', 'Whether revenue or activity grows.', {
    basis: described(word('revenue', 'activity', 'none'), 'Measure by which the two periods are compared.'),
    percent: described(orNull(PERCENT), 'The later period in percent of the earlier one; null: not known.'),
    even_percent: described(orNull(PERCENT), 'The same with single bursts cut; null: not known.'),
  }),
  TrustFactorEntry: factor('trust', 'How much of the revenue has evidence.', {
    source: described(word('flag', 'override', 'none', 'events'), 'Source of the trust.'),
    percent_hundredths: described({ ...COUNT, maximum: TRUST.fullHundredths }, 'Trust in hundredths of a percent.'),
    declared_usd_cents: described(COUNT, 'US cents of 180 days without evidence.'),
    paid_usd_cents: described(COUNT, 'US cents of 180 days whose payment was followed.'),
    attested_usd_cents: described(COUNT, 'US cents of 180 days reported by a device on record.'),
  }),
  TenureFactorEntry: factor('tenure', 'For how many weeks the machine has worked.', { weeks: WEEKS }),
};

const RATING_FACTOR = described({ oneOf: Object.keys(FACTORS).map(refer) }, 'One of the five factors of the score.');

const RATING_REASON = described(
  closedObject({
    code: described(
      word(...Object.keys(NOTICE_TEXTS), ...Object.keys(DEDUCTION_TEXTS)),
      'Identifies the notice or deduction.',
      'tenure_short',
    ),
    lost_hundredths: described(
      orNull(POINT_HUNDREDTHS),
      'Hundredths of a point; null: a notice, which costs none.',
      424,
    ),
    text: described(
      SENTENCE,
      'The same for people.',
      'Fewer than 52 weeks had a qualifying event. Time and steady use raise this.',
    ),
  }),
  'A deduction from the score, or a notice.',
);

const RATING_INPUTS = {
  block: closedObject({
    number: described(DECIMAL_TEXT, 'Decimal.', '120340'),
    hash: described(HASH, 'The hash of the block.', EXAMPLE_HASH),
    timestamp: UNIX_SECONDS,
  }),
  slot: described(DECIMAL_TEXT, 'The slot of the alt chain that the facts were read at; alt-chain machines only.'),
  now: described(UNIX_SECONDS, 'The Unix time in seconds that the rating was computed for.'),
  subscription: SUBSCRIPTION,
  negative_flag_at: described(DECIMAL_TEXT, 'Unix time of the last negative flag in seconds; 0: none.', '0'),
  trust_override: described(
    orNull({ ...COUNT, maximum: TRUST.maxOverride }),
    'Trust set by an administrator; null: none.',
  ),
  prior_events: described(COUNT, 'Events before a move to this chain, which are not counted.', 0),
  event_count: EVENT_COUNT,
  rates: described(
    closedObject({
      feed: described(FLAG, 'Whether a feed of exchange rates is configured.', true),
      through: described(UTC_DAY, 'The newest day of the rates.'),
      digest: described(
        { type: 'string', pattern: '^[0-9a-f]{64}$' },
        'SHA-256 of all rates and tokens, as `docs/statements.md` describes.',
        '5c'.repeat(32),
      ),
    }),
    'The exchange rates.',
  ),
};

/** Describes an object that the service did not write. */
const FOREIGN_OBJECT: JsonSchema = { type: 'object' };

export const OPERATOR_VERIFIED = 'Whether the identity of the operator is verified and it accepted the machine.';

const ACCOUNT = closedObject({
  account: described(ACCOUNT_TEXT, 'The address of the account.'),
  owner: described(ACCOUNT_TEXT, 'The owner of the machine that the account signed for.'),
  since: described(UNIX_SECONDS, 'Unix time in seconds of the block with the signature.'),
  seq: described(COUNT, 'The position of the event with the signature.'),
});

const EVIDENCE = {
  sources_hash: described(orNull(HASH), 'The hash of the payment sources; null: none are configured.', null),
  changed_hands_at: described(
    orNull(UNIX_SECONDS),
    'Unix time in seconds of the newest change of hands; events before it count as declared. Null: none.',
    null,
  ),
  chip_changed_hands: described(
    orNull(FLAG),
    'Whether the machine changed hands since its chip record was issued; null: there is no chip record in force.',
    null,
  ),
  accounts: described(listOf(ACCOUNT, PAYMENT.maxClaims), 'The accounts that signed for payments to the machine.', []),
  verdicts: described(
    closedObject(Object.fromEntries(VERDICTS.map((verdict) => [verdict, COUNT]))),
    'How many events of the last 180 days have each verdict on their payment.',
    { ...Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])), declared: 120 },
  ),
};

export function explanationSchema(namespace: Namespace): JsonSchema {
  const members = {
    ...mcrMembers(namespace),
    model: MODEL_NAME,
    total_hundredths: described(
      orNull(POINT_HUNDREDTHS),
      'The score before rounding, in hundredths of a point; null: not rated.',
      9496,
    ),
    factors: described(listOf(refer('RatingFactor'), 5), 'The factors of the score.', EXAMPLE_FACTORS),
    dormancy: described(
      orNull(
        closedObject({
          idle_days: described(orNull(COUNT), 'Days since the newest qualifying event; null: none.'),
          free_days: described(orNull(COUNT), 'Idle days without a deduction; null: no qualifying event.'),
          half_days: described(orNull(COUNT), 'Days in which what remains halves; null: no qualifying event.'),
          lost_hundredths: described(POINT_HUNDREDTHS, 'Hundredths of a point.'),
        }),
      ),
      'The deduction for dormancy; null: not rated.',
      { idle_days: 0, free_days: 14, half_days: 14, lost_hundredths: 0 },
    ),
    anchor: described(
      orNull(
        closedObject({
          operator_verified: described(FLAG, OPERATOR_VERIFIED, true),
          lost_hundredths: described(POINT_HUNDREDTHS, 'Hundredths of a point.'),
        }),
      ),
      'The deduction without a verified operator, or with a negative flag in force; null: not rated.',
      { operator_verified: true, lost_hundredths: 0 },
    ),
    reasons: described(listOf(refer('RatingReason'), 18), 'Deductions and notices, largest deduction first.'),
    availability: described(
      word('available', 'paused', 'deactivated', 'unreadable'),
      'Whether the machine is paused or deactivated. Does not affect the rating.',
    ),
    inputs: described(closedObject(RATING_INPUTS, ['slot']), 'What the rating was computed from.'),
    evidence: described(closedObject(EVIDENCE), 'The evidence found for the events.'),
  };
  return described(closedObject(members, ALT_HOME_NAMES), 'A rating, and where every point of it comes from.');
}

/** US cents of one amount. */
export const EVENT_CENTS: JsonSchema = { ...COUNT, maximum: MAX_EVENT_CENTS };

const REVENUE_MEMBERS = {
  origin_currency: described({ type: 'string', pattern: CURRENCY_CODE.source }, 'Revenue only: the currency.', 'USD'),
  usd_value: described(orNull(EVENT_CENTS), 'Revenue only: US cents; null: not converted.', 30_000),
  origin_subunit: described(
    // A configured token has at most 255 decimals.
    orNull({ ...NUMBER, minimum: 1, maximum: 1e255 }),
    'Revenue only: minor units of one unit of the currency; null: not known.',
    100,
  ),
  usd_subunit: described(exactly(100), 'Revenue only: cents of a dollar.', 100),
  amount_status: described(
    word('ok', 'unsupported_currency', 'fx_unavailable'),
    'Revenue only: whether the amount was converted.',
    'ok',
  ),
};
const REVENUE_NAMES = Object.keys(REVENUE_MEMBERS);

/** Describes an event with `first` and `last` around its own members. Those of revenue come together, and on well-formed revenue alone. */
export function eventSchema(description: string, first: Properties = {}, last: Properties = {}): JsonSchema {
  const members = {
    event_type: described(BYTE, '0: revenue; 1: activity.', 0),
    origin_value: described(
      UINT256_NUMBER,
      'Minor units of `origin_currency`, or a metric of the machine, with every digit.',
      30_000,
    ),
    timestamp: described(UINT256_NUMBER, 'When it happened, as reported: Unix time in seconds.', 1_772_413_200),
    trust_level: described(BYTE, 'As reported. 0: self-reported; 1: on-chain; 2: hardware-signed.', 2),
    metadata: described(FOREIGN_OBJECT, 'Reported with the event, unchecked.', {}),
    ...REVENUE_MEMBERS,
  };
  return {
    ...described(closedObject({ ...first, ...members, ...last }, REVENUE_NAMES), description),
    dependentRequired: Object.fromEntries(REVENUE_NAMES.map((name) => [name, REVENUE_NAMES])),
    dependentSchemas: { usd_subunit: { properties: { event_type: exactly(0) } } },
  };
}

const MACHINE_EVENT = eventSchema('An event that a machine reported.');

const DATA_MEMBERS = {
  data_api: described(PUBLISHED_URL, 'The data API of a private machine.'),
  event_data: described(
    listOf(refer('MachineEvent'), 100),
    'The oldest events of a machine with the visibility onchain.',
    [exampleOf(MACHINE_EVENT, {})],
  ),
  partner_data: described(FOREIGN_OBJECT, 'The response of the data API of a public machine, unchecked.'),
  partner_data_error: described(
    word('not_fetched', 'no_data_api', 'unreachable', 'invalid'),
    'Why there is no response of the data API.',
  ),
};

const ALT_MEMBERS = {
  ...ALT_HOME,
  owner: described(BASE58_KEY, 'The account that owns the machine; alt-chain machines only.'),
  controller: described(orNull(BASE58_KEY), 'The account that controls the machine; alt-chain machines only.'),
  machine_type: described({ ...TEXT, maxLength: MAX_ALT_MACHINE_BYTES }, 'As registered; alt-chain machines only.'),
  relocating: described(exactly(false), 'A machine that relocates has no profile; alt-chain machines only.'),
};

export const LINK: JsonSchema = { type: 'string', pattern: '^https?://' };
/** The name of an attribute, or a word that is the value of one. */
const TRAIT_TEXT: JsonSchema = { ...NONEMPTY_TEXT, maxLength: 32 };
const TRAIT = { trait_type: described(TRAIT_TEXT, 'The name of the attribute.') };
const ATTRIBUTE: JsonSchema = {
  anyOf: [
    closedObject({ ...TRAIT, value: TRAIT_TEXT }),
    closedObject({ ...TRAIT, value: SCORE, max_value: COUNT }),
    closedObject({ ...TRAIT, display_type: exactly('number'), value: COUNT }),
  ],
};

/** Describes the members that marketplaces read of a token (ERC-721 metadata). */
function marketplaceMembers({ card_description: description }: Namespace) {
  return {
    description: described(exactly(description), 'What kind of token it is.', description),
    image: described(LINK, 'The picture of the rating.', 'https://ratings.example/machines/42/card.svg'),
    external_url: described(LINK, 'The page of the machine.', 'https://ratings.example/explorer/machine/42'),
    attributes: described(listOf(ATTRIBUTE, 6), 'The rating as typed attributes.', [
      { trait_type: 'Rating', value: 'AAA' },
      { trait_type: 'Score', value: 95, max_value: 100 },
      { trait_type: 'Events', display_type: 'number', value: 121 },
    ]),
  };
}

function profileSchema(namespace: Namespace): JsonSchema {
  const marketplace = marketplaceMembers(namespace);
  const members = {
    schema_version: described(exactly('1.0'), 'The version of this form.'),
    name: MACHINE_NAME,
    [namespace.profile_object]: refer('ProfileFacts'),
    ...marketplace,
  };
  return described(closedObject(members, Object.keys(marketplace)), 'The profile of a machine, as token metadata.');
}

function profileFactsSchema(namespace: Namespace): JsonSchema {
  const service = closedObject({
    id: described(TEXT, 'As published.', '#web'),
    type: described(TEXT, 'As published.', 'web'),
    endpoint: described(TEXT, 'As published, unchecked.', 'https://machine.example'),
  });
  const members = {
    machine_id: MACHINE_ID,
    did: machineDid(namespace),
    operator: described(orNull(addressDid(namespace)), OPERATOR_DID),
    mcr: LETTER,
    mcr_score: SCORE,
    bond_status: BOND_STATUS,
    negative_flag: HAS_NEGATIVE_FLAG,
    event_count: EVENT_COUNT,
    data_visibility: VISIBILITY,
    documentation_url: described(orNull(PUBLISHED_URL), 'As published; null: none.', 'https://machine.example/manual'),
    service_endpoints: described(listOf(service), 'As published in the DID document.'),
    ...DATA_MEMBERS,
    ...ALT_MEMBERS,
  };
  const optional = [...Object.keys(DATA_MEMBERS), ...Object.keys(ALT_MEMBERS)];
  return described(closedObject(members, optional), 'Rating, operator and services of a machine.');
}

function cardSchema(namespace: Namespace): JsonSchema {
  const { registration_type: type, card_description: description } = namespace;
  const registration = closedObject({
    type: exactly(type),
    machineId: MACHINE_ID,
    machineRegistry: described(
      { type: 'string', pattern: '^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}:.+$' },
      'Chain and registry (CAIP-10).',
      'eip155:31337:0x5FbDB2315678afecb367f032d93F642f64180aa3',
    ),
  });
  const service = closedObject({
    name: described(TEXT, 'The type of the service, as published.', 'web'),
    endpoint: described(PUBLISHED_URL, 'As published, unchecked.', 'https://machine.example'),
  });
  const agent = {
    image: described(LINK, 'The picture of the rating.', 'https://ratings.example/machines/42/card.svg'),
    x402Support: described(exactly(false), 'No endpoint is known to accept payments by x402.', false),
    supportedTrust: described(listOf(SENTENCE, 0), 'Declares no trust model.', []),
    asset_id: described(
      orNull(CAIP_19),
      'The token of the machine (CAIP-19); null: an alt-chain machine has none.',
      EXAMPLE_ASSET,
    ),
    operator_account: described(
      orNull(MAIN_ACCOUNT),
      'The account of the operator (CAIP-10); null: none.',
      EXAMPLE_ACCOUNT,
    ),
  };
  const members = {
    type: exactly(type),
    name: MACHINE_NAME,
    description: exactly(description),
    did: machineDid(namespace),
    active: described(exactly(true), 'Every machine with a card is registered.'),
    services: described(listOf(service), 'The web services that the machine publishes.'),
    data_visibility: VISIBILITY,
    documentation_url: described(PUBLISHED_URL, 'As published; empty: none.', 'https://machine.example/manual'),
    operator: described(orNull(addressDid(namespace)), OPERATOR_DID),
    bond_status: BOND_STATUS,
    event_count: EVENT_COUNT,
    registrations: described({ ...listOf(registration, 1), minItems: 1 }, 'Where the machine is registered.'),
    ...ALT_HOME,
    ...agent,
  };
  const optional = [...ALT_HOME_NAMES, ...Object.keys(agent)];
  return described(closedObject(members, optional), 'Services, registration and operator of a machine.');
}

export function machineResponses(namespace: Namespace) {
  return {
    McrRecord: described(closedObject(mcrMembers(namespace), ALT_HOME_NAMES), 'The rating of a machine.'),
    Explanation: explanationSchema(namespace),
    Profile: profileSchema(namespace),
    Card: cardSchema(namespace),
  };
}

export function machineParts(namespace: Namespace) {
  return {
    Letter: described(
      word('AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'NR', 'Provisioned'),
      'The rating. NR: not rated; Provisioned: bonded, with too little history for a rating.',
    ),
    ...FACTORS,
    RatingFactor: RATING_FACTOR,
    RatingReason: RATING_REASON,
    ProfileFacts: profileFactsSchema(namespace),
    MachineEvent: MACHINE_EVENT,
  };
}
