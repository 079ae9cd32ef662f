/** Schemas of a DID document and of the result of its resolution (DID Core 1.0, decisions 4). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  BASE58_KEY,
  closedObject,
  described,
  exactly,
  listOf,
  machineDid,
  PUBLISHED_URL,
  TEXT,
  word,
  type JsonSchema,
} from './json-schema.ts';
import { CAIP_19, EXAMPLE_ACCOUNT, EXAMPLE_ASSET } from './caip.ts';

const CAIP_10: JsonSchema = {
  type: 'string',
  pattern: '^(?:eip155:[0-9]{1,32}:0x[0-9a-fA-F]{40}|solana:[-_a-zA-Z0-9]{1,32}:.+)$',
};

export function didResponses(namespace: Namespace) {
  const did = machineDid(namespace);
  const example = `did:${namespace.did_method}:42`;
  const fragment = (name: string) =>
    described({ type: 'string', pattern: '^did:.+#.+$' }, 'A DID URL.', `${example}#${name}`);
  const method = {
    id: fragment('signer'),
    controller: did,
    type: described(
      word('EcdsaSecp256k1RecoveryMethod2020', 'Ed25519VerificationKey2018'),
      'How the signature of the account is verified.',
    ),
    blockchainAccountId: described(CAIP_10, 'The account that signs for the machine (CAIP-10).', EXAMPLE_ACCOUNT),
    publicKeyBase58: described(BASE58_KEY, 'The key of the account; alt-chain machines only.'),
  };
  const service = closedObject({
    id: fragment('service-1'),
    type: described(TEXT, 'As published.', 'web'),
    serviceEndpoint: described(PUBLISHED_URL, 'As published, unchecked.', 'https://machine.example'),
  });
  const document = described(
    closedObject({
      id: did,
      alsoKnownAs: described(listOf(CAIP_19, 1), 'The token of a main-chain machine (CAIP-19).', [EXAMPLE_ASSET]),
      verificationMethod: listOf(closedObject(method, ['publicKeyBase58']), 1),
      authentication: listOf(fragment('signer'), 1),
      assertionMethod: listOf(fragment('signer'), 1),
      service: described(listOf(service), 'The published services with an HTTP URL.'),
    }),
    'The DID document of a machine.',
  );
  return {
    DidDocument: document,
    DidResolution: described(
      closedObject({
        didDocument: document,
        didResolutionMetadata: closedObject({ contentType: exactly('application/did+json') }),
        didDocumentMetadata: described({ type: 'object', additionalProperties: false }, 'Empty.', {}),
      }),
      'The result of resolving a DID.',
    ),
  };
}
