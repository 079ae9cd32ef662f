/** DID documents of both home chains, and published services that are no URLs. */
import { expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import type { DidFacts } from '../../actions/did-document.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import { toDidDocument, toDidResolution } from './did-document.ts';

const KEY = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB' as AltKey;
const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' as AltKey;
const REGISTRY = '0x5fbdb2315678afecb367f032d93f642f64180aa3' as Address;
const MAIN: DidFacts = {
  id: 42n as MachineId,
  block: { number: 1n, hash: '0x', timestamp: 0 } as unknown as DidFacts['block'],
  signer: {
    chain: 'main',
    chainId: 31_337,
    registry: REGISTRY,
    address: '0x1a642f0e3c3af545e7acbd38b07251b3990914f1' as Address,
  },
  serviceEndpoints: ['https://machine.example', 'javascript:alert(1)', 'https://', 'http://a.example/b'].map((url) => ({
    ...{ id: '#x', serviceType: 'web', serviceEndpoint: url },
  })),
};

it('names signer and token of a main-chain machine, and services with an HTTP URL alone', () => {
  rule('documents.did');
  expect(toDidDocument(MAIN, DEFAULT_NAMESPACE)).toEqual({
    id: 'did:svc:42',
    alsoKnownAs: [`eip155:31337/erc721:${REGISTRY}/42`],
    verificationMethod: [
      {
        id: 'did:svc:42#signer',
        controller: 'did:svc:42',
        type: 'EcdsaSecp256k1RecoveryMethod2020',
        blockchainAccountId: 'eip155:31337:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
      },
    ],
    authentication: ['did:svc:42#signer'],
    assertionMethod: ['did:svc:42#signer'],
    service: [
      { id: 'did:svc:42#service-1', type: 'web', serviceEndpoint: 'https://machine.example' },
      { id: 'did:svc:42#service-2', type: 'web', serviceEndpoint: 'http://a.example/b' },
    ],
  });
});

it('names the owner of an alt-chain machine, and no token', () => {
  rule('documents.did');
  const facts: DidFacts = { ...MAIN, signer: { chain: 'alt', genesisHash: GENESIS, key: KEY }, serviceEndpoints: [] };
  expect(toDidDocument(facts, DEFAULT_NAMESPACE)).toMatchObject({
    alsoKnownAs: [],
    verificationMethod: [
      {
        type: 'Ed25519VerificationKey2018',
        blockchainAccountId: `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${KEY}`,
        publicKeyBase58: KEY,
      },
    ],
    service: [],
  });
});

it('wraps the document in the result of its resolution', () => {
  expect(toDidResolution(MAIN, DEFAULT_NAMESPACE)).toEqual({
    didDocument: toDidDocument(MAIN, DEFAULT_NAMESPACE),
    didResolutionMetadata: { contentType: 'application/did+json' },
    didDocumentMetadata: {},
  });
});
