/** What do a decision, its state and the published deployment look like? (http-facts 9.) */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { closedObject, escapePattern, exactly, FLAG, MACHINE_ID, word, type JsonSchema } from './json-schema.ts';

export function publishedDeploymentSchema(namespace: Namespace): JsonSchema {
  return closedObject({
    version: exactly(namespace.monetization_version),
    chain_id: { type: 'string', pattern: '^[1-9][0-9]*$' },
    registry: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
  });
}

const BASE58_KEY = '[1-9A-HJ-NP-Za-km-z]{32,44}';
const SIGNED_AT = { type: 'integer', minimum: 1, description: 'Unix time of the decision in force.' };

export const DECISION_STATE_SCHEMA: JsonSchema = {
  oneOf: [
    closedObject({
      machine_id: MACHINE_ID,
      status: exactly('PENDING'),
      signer: { type: 'null' },
      updated_at: { type: 'null' },
    }),
    closedObject({
      machine_id: MACHINE_ID,
      status: word('OPTED_IN', 'OPTED_OUT'),
      signer: { type: 'string', pattern: `^(?:0x[0-9a-fA-F]{40}|${BASE58_KEY})$` },
      updated_at: SIGNED_AT,
    }),
  ],
};

/** Unknown members are ignored. */
export const DECISION_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    opted_in: FLAG,
    timestamp: { type: 'integer', minimum: 1, description: 'Unix seconds when it was signed, in digits only.' },
    signature: {
      type: 'string',
      maxLength: 132,
      description:
        'EIP-191: 0x and 130 hex digits; beside signer_pubkey: base58 of the 64 bytes of an Ed25519 signature.',
    },
    signer_pubkey: { type: 'string', pattern: `^${BASE58_KEY}$`, description: 'Alt-chain machines only: the owner.' },
  },
  required: ['opted_in', 'timestamp', 'signature'],
};

/** The DID of a machine, or its bare id. */
export function machineKey(namespace: Namespace): JsonSchema {
  return {
    type: 'string',
    pattern: `^(?:did:${escapePattern(namespace.did_method)}:)?[1-9][0-9]{0,77}$`,
    description: 'The DID of a machine, or its bare decimal id.',
  };
}
