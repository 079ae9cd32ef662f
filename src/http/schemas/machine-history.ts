/** Schemas of the history of a rating and of the listing of events (decisions 4). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { VERDICTS } from '../../domain/rating/verdict.ts';
import { CURRENCY_CODE } from '../../domain/rating/currency.ts';
import { CHAIN_NAME } from './caip.ts';
import {
  ACCOUNT_TEXT,
  closedObject,
  COUNT,
  DECIMAL_TEXT,
  described,
  EXAMPLE_HASH,
  FLAG,
  HASH,
  listOf,
  machineDid,
  MACHINE_ID,
  orNull,
  refer,
  UNIX_SECONDS,
  UTC_DAY,
  word,
  type JsonSchema,
} from './json-schema.ts';
import {
  ALT_HOME,
  ALT_HOME_NAMES,
  BOND_STATUS,
  EVENT_CENTS,
  EVENT_COUNT,
  eventSchema,
  POINT_HUNDREDTHS,
  LETTER,
  MODEL_NAME,
  SCORE,
  SUBSCRIPTION,
} from './machines.ts';

/** Place of an event, as the cursor accepts it. */

const HISTORY_POINT = described(
  closedObject({
    day: UTC_DAY,
    mcr_score: SCORE,
    mcr: LETTER,
    mcr_degraded: described(FLAG, 'Whether some amounts could not be converted to US dollars.', false),
    total_hundredths: described(
      orNull(POINT_HUNDREDTHS),
      'Hundredths of a point, before rounding and before the bond is checked; null: not rated.',
      9496,
    ),
    revenue: described(COUNT, 'US cents of qualifying revenue in blocks of that day.', 30_000),
    bond_status: BOND_STATUS,
  }),
  'The rating at the end of one UTC day, and the revenue of that day.',
);

const FACT_CHANGE = closedObject({
  at: described(UNIX_SECONDS, 'Unix time of the change in seconds.'),
  kind: word(
    ...['bond_started', 'bond_renewed', 'bond_in_grace', 'bond_expired', 'bond_terminated'],
    ...['bond_terminated_for_fraud', 'flagged', 'flag_lapsed', 'flag_cleared'],
    ...['trust_override_set', 'trust_override_cleared'],
  ),
  value: described(
    orNull(COUNT),
    'The end of the period of a bond that starts or is renewed, or a percentage; else null.',
  ),
});

const RATING_ACTION = closedObject({
  day: UTC_DAY,
  from: LETTER,
  to: LETTER,
  cause: described(
    word('bond', 'flag', 'trust_override', 'operator_verification', 'events', 'time'),
    'What changed that day; time: nothing but that a day passed.',
    'events',
  ),
});

function historySchema(namespace: Namespace): JsonSchema {
  const members = {
    did: machineDid(namespace),
    machine_id: MACHINE_ID,
    model: MODEL_NAME,
    complete: described(
      FLAG,
      'False: events, days or changes are known to be missing; there are no points then. ' +
        'Until blocks are proven (`/status`), changes that cancel each other out may be missing from a complete history.',
      true,
    ),
    bond: described(
      closedObject({
        status: SUBSCRIPTION,
        period_end: described(
          orNull(COUNT),
          'Unix time in seconds at which grace begins; null: no period.',
          1_790_000_000,
        ),
        grace_end: described(
          orNull(COUNT),
          'Unix time in seconds at which the bond ends; null: no period.',
          1_791_000_000,
        ),
      }),
      'The present terms of the bond.',
    ),
    revenue_before: described(COUNT, 'US cents before the first point. With those of the points: the total.', 0),
    points: described(listOf(refer('HistoryPoint'), 365), 'Oldest first, one per day. The last is the present rating.'),
    changes: described(
      { type: 'array', items: FACT_CHANGE },
      'Changes of the bond, the negative flag and the trust override, oldest first; those by time alone too.',
    ),
    actions: described(listOf(RATING_ACTION, 365), 'Days on which the rating changed, oldest first.'),
    ...ALT_HOME,
  };
  return described(closedObject(members, ALT_HOME_NAMES), 'The rating and the revenue of each of the last 365 days.');
}

const EVENT_ENTRY = eventSchema(
  'An event of the history of a machine.',
  {
    position: described(COUNT, 'The place in the history of the machine, from 0.', 120),
  },
  {
    block_timestamp: described(UNIX_SECONDS, 'Unix time of the block in seconds.'),
    judgement: described(word('sound', 'malformed', 'late', 'early'), 'Only a sound event can qualify for the rating.'),
    data_hash: described(HASH, 'The hash of the reported data.', EXAMPLE_HASH),
    source_chain_id: described(DECIMAL_TEXT, 'Decimal, as reported.', '31337'),
    source_tx_hash: described(HASH, 'As reported.', EXAMPLE_HASH),
    class: described(
      orNull(word('declared', 'paid', 'attested')),
      'What supports the event: nothing, a payment, or a device on record; null: it does not qualify.',
      'attested',
    ),
    verdict: described(
      orNull(word(...VERDICTS)),
      'What became of the payment that the event cites; null: it is not revenue that qualifies.',
      'declared',
    ),
    paid_cents: described(EVENT_CENTS, 'US cents of the payment that count for this event.', 0),
    source: described(orNull(CHAIN_NAME), 'The chain of the payment (CAIP-2); null: not found.', null),
    token: described(
      orNull({ type: 'string', pattern: CURRENCY_CODE.source }),
      'The symbol of the token of the payment; null: not found.',
      null,
    ),
    payer: described(orNull(ACCOUNT_TEXT), 'The account that paid; null: not found.', null),
    worth_cents: described(orNull(EVENT_CENTS), 'US cents of the whole payment; null: not found.', null),
    returned_cents: described(orNull(COUNT), 'US cents that went back to the payer; null: not found.', null),
  },
);

function eventListingSchema(namespace: Namespace): JsonSchema {
  const members = {
    did: machineDid(namespace),
    machine_id: MACHINE_ID,
    event_count: EVENT_COUNT,
    events: described(listOf(refer('EventEntry'), 100), 'Newest first.'),
    next_cursor: described(orNull(COUNT), 'The cursor of the page of older events; null: there are none.', 101),
    ...ALT_HOME,
  };
  return described(closedObject(members, ALT_HOME_NAMES), 'A page of the events that the rating is computed from.');
}

export function historyResponses(namespace: Namespace) {
  return { History: historySchema(namespace), EventListing: eventListingSchema(namespace) };
}

export function historyParts() {
  return { HistoryPoint: HISTORY_POINT, EventEntry: EVENT_ENTRY };
}
