/** What does a page of an operator's machines look like? (http-facts 7, decisions 1.) */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  closedObject,
  COUNT,
  COUNT_OR_NULL,
  listOf,
  machineDid,
  MACHINE_ID,
  operatorText,
  type JsonSchema,
} from './json-schema.ts';
import { ALT_CHAIN_ONLY, HOME_CHAIN, LETTER, MACHINE_NAME, RATING_UNAVAILABLE, SCORE, STANDING } from './machines.ts';

export function fleetSchema(namespace: Namespace): JsonSchema {
  const entry = { ...listedMembers(namespace), home_chain: HOME_CHAIN, rating_unavailable: RATING_UNAVAILABLE };
  return closedObject(fleetMembers(namespace, closedObject(entry, ALT_CHAIN_ONLY)));
}

/** Of an entry, wherever its machine lives. */
export function listedMembers(namespace: Namespace) {
  const { bond_status, negative_flag, event_count } = STANDING;
  return {
    did: machineDid(namespace),
    machine_id: MACHINE_ID,
    mcr_score: SCORE,
    mcr: LETTER,
    negative_flag,
    name: MACHINE_NAME,
    bond_status,
    event_count,
  };
}

export function fleetMembers(namespace: Namespace, entry: JsonSchema) {
  return {
    operator_did: operatorText(namespace),
    machines: { ...listOf(entry), maxItems: 20 },
    pagination: closedObject({ offset: COUNT, limit: { type: 'integer', minimum: 1, maximum: 20 }, total: COUNT }),
    unreadable: {
      ...COUNT,
      description: 'Machines that belong on this page, or may belong there, and could not be read.',
    },
    index: closedObject({
      indexed_block: COUNT,
      head_block: COUNT,
      lag_blocks: COUNT,
      head_observed_age_seconds: COUNT,
      alt_snapshot_age_seconds: COUNT_OR_NULL,
    }),
  };
}
