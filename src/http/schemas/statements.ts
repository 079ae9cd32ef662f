/** Schemas of rating statements and of their published keys (design/provable 1). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { STATEMENT_MEMBERS, STATEMENT_TYPE, STATEMENT_TYPES } from '../../domain/statements/rating-statement.ts';
import { explanationSchema, MODEL_NAME, POINT_HUNDREDTHS } from './machines.ts';
import {
  ADDRESS_TEXT,
  closedObject,
  COUNT,
  DECIMAL_TEXT,
  described,
  exactly,
  EXAMPLE_HASH,
  FLAG,
  HASH,
  listOf,
  MACHINE_ID,
  ORDINAL,
  orNull,
  UNIX_SECONDS,
  word,
  type JsonSchema,
} from './json-schema.ts';

const STATUS = word('unverified', 'verified', 'expired', 'revoked');

const STATEMENT_MESSAGE = described(
  closedObject({
    machineId: MACHINE_ID,
    homeChain: described(ORDINAL, 'The protocol ordinal of the home chain.', 1),
    model: MODEL_NAME,
    rating: described(word('AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'NR', 'Provisioned'), 'The rating.', 'AA'),
    scoreHundredths: described(POINT_HUNDREDTHS, 'Points in hundredths; 0 for NR and Provisioned.', 8_896),
    bonded: described(FLAG, 'Whether the machine has an active bond.', true),
    negativeFlag: described(FLAG, 'Whether a negative flag is on record. It is in force for 180 days.', false),
    kyb: described(STATUS, 'The KYB status of the operator.', 'verified'),
    chip: described(STATUS, 'The status of the chip; `unverified` for alt-chain machines.', 'unverified'),
    blockNumber: described(DECIMAL_TEXT, 'The finalized block of all facts. Decimal.', '120340'),
    blockHash: described(HASH, 'The hash of the block.', EXAMPLE_HASH),
    altSlot: described(DECIMAL_TEXT, 'The slot of the alt chain; 0 for main-chain machines. Decimal.', '0'),
    ratedAt: described(UNIX_SECONDS, 'The Unix time in seconds that the rating was computed for.', 1_772_452_800),
    validUntil: described(UNIX_SECONDS, 'The last second of validity, as Unix time.', 1_772_456_400),
    explanationHash: described(HASH, 'Keccak-256 of the RFC 8785 form of `explanation`.', EXAMPLE_HASH),
  }),
  'The signed message.',
);

const STATEMENT_TYPE_LIST = described(
  closedObject({
    [STATEMENT_TYPE]: listOf(
      closedObject({
        name: word(...STATEMENT_MEMBERS.map(({ name }) => name)),
        type: word(...new Set(STATEMENT_MEMBERS.map(({ type }) => type))),
      }),
      STATEMENT_MEMBERS.length,
    ),
  }),
  'The EIP-712 types.',
  STATEMENT_TYPES,
);

function domainSchema(namespace: Namespace): JsonSchema {
  return described(
    closedObject({
      name: described(exactly(namespace.statement_name), 'The name of the domain.'),
      version: exactly('1'),
      chainId: described({ ...COUNT, minimum: 1 }, 'The main chain.', 31_337),
      verifyingContract: described(ADDRESS_TEXT, 'The machine registry in EIP-55 spelling.'),
    }),
    'The EIP-712 domain.',
  );
}

/** Describes the members of a signed statement. */
export function signedMembers(namespace: Namespace) {
  return {
    statement: STATEMENT_MESSAGE,
    domain: domainSchema(namespace),
    types: STATEMENT_TYPE_LIST,
    signature: described(
      { type: 'string', pattern: '^0x[0-9a-f]{128}1[bc]$' },
      'r, s and the recovery byte, with low s.',
      `0x${'5a'.repeat(32)}${'1f'.repeat(32)}1b`,
    ),
    signer: described(ADDRESS_TEXT, 'The signing key in EIP-55 spelling.'),
  };
}

export function statementResponses(namespace: Namespace) {
  const signed = { domain: domainSchema(namespace), types: STATEMENT_TYPE_LIST };
  const time = (text: string) => described(orNull(COUNT), `${text} Unix time in seconds.`, null);
  return {
    Statement: described(
      closedObject({
        ...signedMembers(namespace),
        explanation: explanationSchema(namespace),
      }),
      'A rating that can be proven later.',
    ),
    StatementDirectory: described(
      closedObject({
        keys: described(
          listOf(
            closedObject({
              address: ADDRESS_TEXT,
              notBefore: time('First second of `ratedAt`; null: announced, not in use yet.'),
              notAfter: time('Last second of `ratedAt`; null: in use, or announced.'),
              revokedAt: time('When the key was revoked; its statements prove nothing. Null: not revoked.'),
            }),
          ),
          'All keys in the order of their publication.',
        ),
        ...signed,
      }),
      'The keys of rating statements.',
    ),
  };
}
