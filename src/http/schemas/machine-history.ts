/** What do the history of a rating and its events look like? (decisions 4.) */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  closedObject,
  COUNT,
  COUNT_OR_NULL,
  DECIMAL_TEXT,
  FLAG,
  listOf,
  machineDid,
  MACHINE_ID,
  NONEMPTY_TEXT,
  UNIX_SECONDS,
  word,
  type JsonSchema,
} from './json-schema.ts';
import {
  ACTIVITY_MEMBERS,
  ALT_CHAIN_ONLY,
  HOME_CHAIN,
  LETTER,
  RATING_UNAVAILABLE,
  REVENUE_MEMBERS,
  SCORE,
  STANDING,
} from './machines.ts';

const DAY: JsonSchema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A UTC day.' };
const HASH: JsonSchema = { type: 'string', pattern: '^0x[0-9a-f]{64}$' };

const POINT = closedObject({
  day: DAY,
  mcr_score: SCORE,
  mcr: LETTER,
  mcr_degraded: FLAG,
  total_hundredths: { ...COUNT, description: 'The score before rounding and before the bond is asked for.' },
  revenue: { ...COUNT, description: 'US cents of qualifying revenue in blocks of that day.' },
});

export function historySchema(namespace: Namespace): JsonSchema {
  const members = {
    did: machineDid(namespace),
    machine_id: MACHINE_ID,
    model: NONEMPTY_TEXT,
    complete: {
      ...FLAG,
      description: 'False: not all events are indexed, or not all days of many; then there are no points.',
    },
    facts_of_now: {
      ...closedObject({
        bond_status: STANDING.bond_status,
        trust_override: COUNT_OR_NULL,
      }),
      description: 'What has no date, and is taken as it is now for every day.',
    },
    revenue_before: { ...COUNT, description: 'US cents before the first point; with those of the points, the total.' },
    points: { ...listOf(POINT), maxItems: 365, description: 'Oldest first, one a day; the last is the rating of now.' },
    home_chain: HOME_CHAIN,
    rating_unavailable: RATING_UNAVAILABLE,
  };
  return closedObject(members, ALT_CHAIN_ONLY);
}

const LISTED = {
  position: { ...COUNT, description: 'Its place in the history of the machine, from 0 on.' },
  block_timestamp: UNIX_SECONDS,
  judgement: {
    ...word('sound', 'malformed', 'late', 'early'),
    description: 'Only a sound event can add to the rating.',
  },
  data_hash: HASH,
  source_chain_id: DECIMAL_TEXT,
  source_tx_hash: HASH,
};

export function eventListingSchema(namespace: Namespace): JsonSchema {
  const event = {
    anyOf: [
      closedObject({ ...LISTED, ...ACTIVITY_MEMBERS }),
      closedObject({ ...LISTED, ...ACTIVITY_MEMBERS, ...REVENUE_MEMBERS }),
    ],
  };
  const members = {
    did: machineDid(namespace),
    machine_id: MACHINE_ID,
    event_count: STANDING.event_count,
    events: { ...listOf(event), maxItems: 100, description: 'Newest first.' },
    next_cursor: { ...COUNT_OR_NULL, description: 'Of the page of older events; null: there are none.' },
    home_chain: HOME_CHAIN,
    rating_unavailable: RATING_UNAVAILABLE,
  };
  return closedObject(members, ALT_CHAIN_ONLY);
}
