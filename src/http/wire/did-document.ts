/**
 * Maps a machine to a DID document (DID Core 1.0, the JSON representation). The signing account is a CAIP-10 account, the token a CAIP-19 asset. A service is listed
 * only when its endpoint is an HTTP URL: others wrote it, and a resolver's client opens it.
 */
import type { DidFacts } from '../../actions/did-document.ts';
import { formatMachineDid } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { formatAltAccount, formatMachineToken, formatMainAccount } from './caip.ts';
import type { DidDocumentResponse, DidResolutionResponse } from './response-types.ts';
import { isWebUrl } from './web-url.ts';

export const DID_DOCUMENT_TYPE = 'application/did+json';
export const DID_RESOLUTION_TYPE = 'application/did-resolution';

export function toDidDocument(facts: DidFacts, namespace: Namespace): DidDocumentResponse {
  const did = formatMachineDid(facts.id, namespace);
  const key = `${did}#signer`;
  const services = facts.serviceEndpoints.filter(({ serviceEndpoint }) => isWebUrl(serviceEndpoint));
  return {
    id: did,
    alsoKnownAs: listNames(facts),
    verificationMethod: [{ id: key, controller: did, ...toMethod(facts) }],
    authentication: [key],
    assertionMethod: [key],
    service: services.map(({ serviceType, serviceEndpoint }, at) => ({
      id: `${did}#service-${at + 1}`,
      type: serviceType,
      serviceEndpoint,
    })),
  };
}

export function toDidResolution(facts: DidFacts, namespace: Namespace): DidResolutionResponse {
  return {
    didDocument: toDidDocument(facts, namespace),
    didResolutionMetadata: { contentType: DID_DOCUMENT_TYPE },
    didDocumentMetadata: {},
  };
}

function toMethod({ signer }: DidFacts) {
  return signer.chain === 'main'
    ? ({
        type: 'EcdsaSecp256k1RecoveryMethod2020',
        blockchainAccountId: formatMainAccount(signer.chainId, signer.address),
      } as const)
    : ({
        type: 'Ed25519VerificationKey2018',
        blockchainAccountId: formatAltAccount(signer.genesisHash, signer.key),
        publicKeyBase58: signer.key,
      } as const);
}

/** Returns the token as a CAIP-19 asset; a machine of the alt chain has none. */
function listNames({ id, signer }: DidFacts): string[] {
  return signer.chain === 'main' ? [formatMachineToken(signer.chainId, signer.registry, id)] : [];
}
