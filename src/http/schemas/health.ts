/** What do the probes answer? (http-facts 12.) */
import { closedObject, COUNT, COUNT_OR_NULL, exactly, FLAG, word, type JsonSchema } from './json-schema.ts';

export const HEALTH_SCHEMA = closedObject({ status: exactly('ok') });

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

const ALT_INDEX = orNull(closedObject({ ready: FLAG, slot: COUNT_OR_NULL, age_seconds: COUNT_OR_NULL }));

const OPERATOR_INDEX = orNull(
  closedObject({
    ready: FLAG,
    indexed_block: COUNT_OR_NULL,
    head_block: COUNT_OR_NULL,
    lag_blocks: COUNT_OR_NULL,
    head_observed_age_seconds: COUNT_OR_NULL,
  }),
);

export const INDEX_REPORTS = { operator_index: OPERATOR_INDEX, solana_indexer: ALT_INDEX };

export const STATUS_SCHEMA = closedObject({
  status: word('fresh', 'not_fresh'),
  max_lag_blocks: COUNT,
  ...INDEX_REPORTS,
});

const READINESS = {
  status: word('ready', 'not_ready'),
  rpc_connected: FLAG,
  contracts: closedObject({
    machine_registry: FLAG,
    machine_state_and_sync: FLAG,
    machine_subscription: FLAG,
    event_registry: FLAG,
    admin_flags: FLAG,
  }),
  verify: { type: ['boolean', 'null'], description: 'Null: this server does not run Verify.' },
  solana_indexer: ALT_INDEX,
  operator_index: OPERATOR_INDEX,
  shared_rate_limits: {
    type: 'boolean',
    description: 'Only where replicas share counters. False: they cannot be reached, and each replica counts alone.',
  },
};

export const READINESS_SCHEMA = closedObject(READINESS, ['shared_rate_limits']);
