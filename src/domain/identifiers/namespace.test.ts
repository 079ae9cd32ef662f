/** Default namespace: the words of the interface. */
import { expect, it } from 'vitest';
import { DEFAULT_NAMESPACE } from './namespace.ts';

it('defaults to the words of the interface', () => {
  expect(Object.entries(DEFAULT_NAMESPACE).map(([key, word]) => `${key} ${word}`)).toEqual([
    'did_method svc',
    'profile_object svcos',
    'registration_type svcos:registration:v1',
    'card_description svcOS machine',
    'well_known_path /.well-known/svc-monetization',
    'message_header svc-mcr monetization',
    'payout_header svc payout account/1',
    'monetization_version tokenomics-2.0-monetization-v1',
    'verifier svc.verify',
    'protocol svc.verify.chip-proof/1',
    'controller_proof svc.verify.controller-proof/1',
    'evidence_schema svc.verify.chip-evidence/1',
    'chip_profile chipvendor-trustchip-express-ca306/1',
    'trust_bundle chipvendor-trustchip-express-ca306-roots/1',
    'receipt svc.verify.chip-receipt/1',
    'leaf_ca_issuers_uri https://pki.chipvendor.example/TrustchipEccCA306/TrustchipEccCA306.crt',
    'leaf_crl_uri https://pki.chipvendor.example/TrustchipEccCA306/TrustchipEccCA306.crl',
    'statement_name svc rating statement',
    'statements_path /.well-known/svc-statements',
  ]);
});
