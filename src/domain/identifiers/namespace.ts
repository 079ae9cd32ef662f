/**
 * Namespace: the configurable names inside exact identifiers of this deployment.
 * No other file contains one of these words. Keys are those of `NAMESPACE_FILE`.
 */

export interface Namespace {
  /** Method of every DID: `did:<did_method>:…`. */
  readonly did_method: string;
  /** Only object key of the profile. */
  readonly profile_object: string;
  readonly registration_type: string;
  readonly card_description: string;
  readonly well_known_path: string;
  /** First line of both signed monetization messages. */
  readonly message_header: string;
  /** First line of the text that a payout account signs. */
  readonly payout_header: string;
  readonly monetization_version: string;
  readonly verifier: string;
  readonly protocol: string;
  readonly controller_proof: string;
  readonly evidence_schema: string;
  readonly chip_profile: string;
  readonly trust_bundle: string;
  readonly receipt: string;
  readonly leaf_ca_issuers_uri: string;
  readonly leaf_crl_uri: string;
  /** Name of the EIP-712 domain of rating statements. */
  readonly statement_name: string;
  /** Path of the document that publishes the keys of rating statements. */
  readonly statements_path: string;
}

export const DEFAULT_NAMESPACE: Namespace = {
  did_method: 'svc',
  profile_object: 'svcos',
  registration_type: 'svcos:registration:v1',
  card_description: 'svcOS machine',
  well_known_path: '/.well-known/svc-monetization',
  message_header: 'svc-mcr monetization',
  payout_header: 'svc payout account/1',
  monetization_version: 'tokenomics-2.0-monetization-v1',
  verifier: 'svc.verify',
  protocol: 'svc.verify.chip-proof/1',
  controller_proof: 'svc.verify.controller-proof/1',
  evidence_schema: 'svc.verify.chip-evidence/1',
  chip_profile: 'chipvendor-trustchip-express-ca306/1',
  trust_bundle: 'chipvendor-trustchip-express-ca306-roots/1',
  receipt: 'svc.verify.chip-receipt/1',
  leaf_ca_issuers_uri: 'https://pki.chipvendor.example/TrustchipEccCA306/TrustchipEccCA306.crt',
  leaf_crl_uri: 'https://pki.chipvendor.example/TrustchipEccCA306/TrustchipEccCA306.crl',
  statement_name: 'svc rating statement',
  statements_path: '/.well-known/svc-statements',
};
