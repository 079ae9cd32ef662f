/** Schemas of the ERC-8004 files of a machine: its registration, and its rating as feedback. */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { EXAMPLE_ACCOUNT, MAIN_ACCOUNT } from './caip.ts';
import {
  closedObject,
  described,
  exactly,
  listOf,
  MACHINE_ID,
  PUBLISHED_URL,
  SENTENCE,
  TEXT,
  word,
  type JsonSchema,
} from './json-schema.ts';
import { POINT_HUNDREDTHS, LINK, MACHINE_NAME, MODEL_NAME } from './machines.ts';
import { signedMembers } from './statements.ts';

const REGISTRY = described(
  { type: 'string', pattern: '^(?:eip155|solana):[-_a-zA-Z0-9]{1,32}:.+$' },
  'Chain and registry (CAIP-10).',
  'eip155:31337:0x5FbDB2315678afecb367f032d93F642f64180aa3',
);

export function agentFileResponses(namespace: Namespace): Record<'AgentRegistration' | 'AgentFeedback', JsonSchema> {
  const service = closedObject(
    {
      name: described(TEXT, 'The type of the service, as published, or DID.', 'DID'),
      endpoint: described(PUBLISHED_URL, 'As published, unchecked.', `did:${namespace.did_method}:42`),
      version: described(exactly('v1'), 'Of the DID only.', 'v1'),
    },
    ['version'],
  );
  return {
    AgentRegistration: described(
      closedObject({
        type: exactly('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
        name: MACHINE_NAME,
        description: exactly(namespace.card_description),
        image: described(LINK, 'The picture of the rating.', 'https://ratings.example/machines/42/card.svg'),
        services: described(listOf(service), 'The published web services with an HTTP URL, and the DID.'),
        x402Support: described(exactly(false), 'No endpoint is known to accept payments by x402.', false),
        active: described(exactly(true), 'Every machine with a registration is registered.'),
        registrations: {
          ...listOf(closedObject({ agentId: MACHINE_ID, agentRegistry: REGISTRY }), 1),
          minItems: 1,
          description: 'Where the machine is registered.',
        },
        supportedTrust: described(listOf(SENTENCE, 0), 'Declares no trust model.', []),
      }),
      'The registration file of a machine (ERC-8004).',
    ),
    AgentFeedback: described(
      closedObject({
        agentRegistry: REGISTRY,
        agentId: MACHINE_ID,
        clientAddress: described(MAIN_ACCOUNT, 'The account of the statement key (CAIP-10).', EXAMPLE_ACCOUNT),
        createdAt: described(
          { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.000Z$' },
          'The time that the rating was computed for.',
          '2026-03-02T12:00:00.000Z',
        ),
        value: described(POINT_HUNDREDTHS, 'Points in hundredths.', 8_896),
        valueDecimals: described(exactly(2), 'Decimals of the value.', 2),
        tag1: MODEL_NAME,
        tag2: described(word('AAA', 'AA', 'A', 'BBB', 'BB', 'B'), 'The rating.', 'AA'),
        proof: described(closedObject(signedMembers(namespace)), 'The signed rating statement.'),
      }),
      'The rating of a machine as a feedback file (ERC-8004).',
    ),
  };
}
