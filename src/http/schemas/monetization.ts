/** Schemas of an opt-in decision, its state and log, and the published deployment (http-facts 9, design/provable 2). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  ACCOUNT_TEXT,
  ADDRESS_TEXT,
  BASE58_KEY,
  closedObject,
  COUNT,
  DECIMAL_TEXT,
  described,
  escapePattern,
  exactly,
  EXAMPLE_HASH,
  FLAG,
  HASH,
  listOf,
  MACHINE_ID,
  orNull,
  refer,
  UNIX_SECONDS,
  word,
  type JsonSchema,
} from './json-schema.ts';

const SIGNED_AT: JsonSchema = { ...COUNT, minimum: 1 };

const ACCOUNT = described(
  ACCOUNT_TEXT,
  'The address in EIP-55 spelling, or the base58 key of an alt-chain machine.',
  '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1',
);
const NOTHING: JsonSchema = { type: 'null' };
const SIGNED_SECOND = described(SIGNED_AT, 'Unix time in seconds when the decision was signed.', 1_772_413_200);

const ADDED_MEMBERS = ['signer_is_current'];

const MONETIZATION_STATE = described(
  {
    oneOf: [
      closedObject(
        {
          machine_id: MACHINE_ID,
          status: described(word('OPTED_IN', 'OPTED_OUT'), 'The decision in force.'),
          signer: ACCOUNT,
          updated_at: SIGNED_SECOND,
          signer_is_current: described(
            orNull(FLAG),
            'Whether the signer is owner or controller now; false after a sale. Null: unreadable.',
            true,
          ),
        },
        ADDED_MEMBERS,
      ),
      closedObject(
        {
          machine_id: MACHINE_ID,
          status: described(exactly('PENDING'), 'There is no decision yet.'),
          signer: NOTHING,
          updated_at: NOTHING,
          signer_is_current: NOTHING,
        },
        ADDED_MEMBERS,
      ),
    ],
  },
  'The opt-in decision in force.',
);

/** EIP-191 or Ed25519. */
const SIGNATURE_TEXT: JsonSchema = {
  type: 'string',
  pattern: '^(?:0x[0-9a-fA-F]{130}|[1-9A-HJ-NP-Za-km-z]{64,88})$',
};

/** Six lines of printable ASCII. */
const MESSAGE: JsonSchema = { type: 'string', pattern: '^[ -~]+(?:\\n[ -~]+){5}$' };

const SIGNATURE = described(
  orNull(SIGNATURE_TEXT),
  'As sent. Null until 330 s after the timestamp, and while the clock of the service is in doubt.',
  null,
);

const DECISION = { machine_id: MACHINE_ID, opted_in: FLAG, timestamp: SIGNED_SECOND, signer: ACCOUNT };

const DECISION_AUTHORITY = described(
  closedObject({
    owner: ACCOUNT,
    controller: described(ACCOUNT, 'The owner where no controller is set.'),
    block: described(
      closedObject({ number: DECIMAL_TEXT, hash: HASH }),
      'The block of the main chain at which it was read.',
      { number: '120340', hash: EXAMPLE_HASH },
    ),
    slot: described(orNull(DECIMAL_TEXT), 'The slot of an alt-chain machine; null: a main-chain machine.', null),
  }),
  'Who was entitled to decide.',
);

function decisionEntry(namespace: Namespace): JsonSchema {
  return described(
    {
      oneOf: [
        closedObject({
          ...DECISION,
          signature: SIGNATURE,
          message: described(MESSAGE, 'The signed message.'),
          authority: refer('AuthorityAtDecision'),
          previous: described(orNull(HASH), 'The hash of the row before; null: the first row.', null),
          hash: described(HASH, 'SHA-256 of the RFC 8785 form of the row without this member.', EXAMPLE_HASH),
        }),
        closedObject({
          ...DECISION,
          signature: SIGNATURE,
          message: NOTHING,
          authority: NOTHING,
          previous: NOTHING,
          hash: NOTHING,
          unverifiable: described(exactly(true), 'The row is older than the chain, and nothing proves it.'),
        }),
      ],
    },
    'A decision that was in force.',
    {
      machine_id: '42',
      opted_in: true,
      timestamp: 1_772_413_200,
      signer: '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1',
      signature: null,
      message: [
        namespace.message_header,
        'registry: 0x5fbdb2315678afecb367f032d93f642f64180aa3',
        'chain_id: 31337',
        'machine_id: 42',
        'opted_in: true',
        'timestamp: 1772413200',
      ].join('\n'),
      authority: {
        owner: '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1',
        controller: '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1',
        block: { number: '120340', hash: EXAMPLE_HASH },
        slot: null,
      },
      previous: null,
      hash: EXAMPLE_HASH,
    },
  );
}

const DECISION_CHECKPOINT = described(
  closedObject({
    head: closedObject({
      machineId: MACHINE_ID,
      hash: described(HASH, 'The hash of the newest row.', EXAMPLE_HASH),
      count: described(COUNT, 'The number of rows up to it.', 40),
      signedAt: UNIX_SECONDS,
    }),
    signature: described(
      { type: 'string', pattern: '^0x[0-9a-f]{128}1[bc]$' },
      'r, s and the recovery byte, with low s.',
      `0x${'5a'.repeat(32)}${'1f'.repeat(32)}1b`,
    ),
    signer: ADDRESS_TEXT,
  }),
  'The head of a decision log as EIP-712 typed data, signed by a statement key.',
);

const DECISION_LOG = described(
  closedObject(
    {
      decisions: described(listOf(refer('DecisionEntry'), 100), 'Newest first.'),
      head: described(orNull(HASH), 'The hash of the newest row; null: there is none.', EXAMPLE_HASH),
      next_cursor: described(orNull(COUNT), 'The cursor of the page of older decisions; null: there are none.', null),
      checkpoint: described(
        refer('DecisionCheckpoint'),
        'On the last page, when older rows were pruned: their number and the last hash, signed.',
      ),
    },
    ['checkpoint'],
  ),
  'A page of the decision log of a machine.',
);

export function monetizationResponses(namespace: Namespace) {
  return {
    MonetizationState: MONETIZATION_STATE,
    DecisionLog: DECISION_LOG,
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

export function monetizationParts(namespace: Namespace) {
  return {
    DecisionEntry: decisionEntry(namespace),
    AuthorityAtDecision: DECISION_AUTHORITY,
    DecisionCheckpoint: DECISION_CHECKPOINT,
  };
}

/** The body of a decision. Unknown members are ignored. */
export const DECISION_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    opted_in: described(FLAG, 'True opts the machine in, false opts it out.', true),
    timestamp: described(SIGNED_AT, 'Unix time in seconds when it was signed, in digits only.', 1_772_413_200),
    signature: described(
      SIGNATURE_TEXT,
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
