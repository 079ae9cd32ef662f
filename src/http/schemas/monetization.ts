/** Schemas of an opt-in decision, its state and the published deployment (http-facts 9). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  BASE58_KEY,
  closedObject,
  described,
  escapePattern,
  exactly,
  FLAG,
  MACHINE_ID,
  word,
  type JsonSchema,
} from './json-schema.ts';

const SIGNED_AT: JsonSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

const MONETIZATION_STATE = described(
  {
    oneOf: [
      closedObject({
        machine_id: MACHINE_ID,
        status: described(word('OPTED_IN', 'OPTED_OUT'), 'The decision in force.'),
        signer: described(
          { type: 'string', pattern: '^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$' },
          'The address in EIP-55 spelling, or the base58 key of an alt-chain machine.',
          '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1',
        ),
        updated_at: described(SIGNED_AT, 'Unix time in seconds when the decision was signed.', 1_772_413_200),
      }),
      closedObject({
        machine_id: MACHINE_ID,
        status: described(exactly('PENDING'), 'There is no decision yet.'),
        signer: { type: 'null' },
        updated_at: { type: 'null' },
      }),
    ],
  },
  'The opt-in decision in force.',
);

export function monetizationResponses(namespace: Namespace) {
  return {
    MonetizationState: MONETIZATION_STATE,
    PublishedDeployment: described(
      closedObject({
        version: described(exactly(namespace.monetization_version), 'The version of the signed message.'),
        chain_id: described({ type: 'string', pattern: '^[1-9][0-9]{0,77}$' }, 'Decimal.', '31337'),
        registry: described(
          { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
          'The machine registry, in lower case.',
          '0x5fbdb2315678afecb367f032d93f642f64180aa3',
        ),
      }),
      'The deployment that a signature is bound to.',
    ),
  };
}

/** The body of a decision. Unknown members are ignored. */
export const DECISION_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    opted_in: described(FLAG, 'True opts the machine in, false opts it out.', true),
    timestamp: described(SIGNED_AT, 'Unix time in seconds when it was signed, in digits only.', 1_772_413_200),
    signature: described(
      { type: 'string', pattern: '^(?:0x[0-9a-fA-F]{130}|[1-9A-HJ-NP-Za-km-z]{64,88})$' },
      'EIP-191: 0x and 130 hex digits. With signer_pubkey: base58 of the 64 bytes of an Ed25519 signature.',
      `0x${'5a'.repeat(32)}${'1f'.repeat(32)}1b`,
    ),
    signer_pubkey: described(BASE58_KEY, 'Alt-chain machines only: the owner.'),
  },
  required: ['opted_in', 'timestamp', 'signature'],
};

/** Describes the DID of a machine or its bare id. */
export function machineKey(namespace: Namespace): JsonSchema {
  return described(
    { type: 'string', pattern: `^(?:did:${escapePattern(namespace.did_method)}:)?[1-9][0-9]{0,77}$` },
    'The DID of a machine, or its bare decimal id.',
    `did:${namespace.did_method}:42`,
  );
}
