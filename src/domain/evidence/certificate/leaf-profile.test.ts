import { describe, expect, it } from 'vitest';
import {
  fromBase64,
  leafCases,
  pki,
  vectorNamespace,
  vectorRules,
} from '../../../../testing/fixtures/evidence-vectors.ts';
import type { CertificateRefusalKind } from '../refusal.ts';
import { forgeCertificate, VECTOR_NOW } from '../../../../testing/fixtures/forged-certificate.ts';
import { judgeLeaf, MAX_LEAF_BYTES, PROFILE_ROWS, type LeafRules } from './leaf-profile.ts';

const RULES: LeafRules = { ...vectorRules, nowSeconds: leafCases.now };

const KINDS: Record<string, CertificateRefusalKind> = {
  CERTIFICATE_INVALID: 'CertificateInvalid',
  CERTIFICATE_UNSUPPORTED: 'CertificateUnsupported',
  CERTIFICATE_UNTRUSTED: 'CertificateUntrusted',
};

/** Row that rejects each of the vectors. */
const REFUSED_BY: Record<string, string> = {
  empty: 'encoding',
  'not-der': 'encoding',
  'trailing-byte': 'encoding',
  'over-1300-bytes': 'encoding',
  'stored-prefix': 'encoding',
  'version-1': 'encoding',
  'explicit-false': 'encoding',
  'serial-zero': 'serial',
  'serial-negative': 'serial',
  'serial-21-octets': 'serial',
  'leaf-hash-sha256': 'algorithms',
  'leaf-hash-sha512': 'algorithms',
  'inner-algorithm-differs': 'algorithms',
  'p384-leaf': 'algorithms',
  'compressed-key': 'key and signature bits',
  'key-with-extra-byte': 'key and signature bits',
  'key-padding-bits': 'key and signature bits',
  'point-off-curve': 'point on the curve',
  'general-time-before-2050': 'dates',
  'duplicate-extension': 'extension types',
  'basic-constraints-not-critical': 'allowed extensions',
  'key-usage-not-critical': 'allowed extensions',
  'policies-critical': 'allowed extensions',
  'aia-critical': 'allowed extensions',
  'extended-key-usage': 'allowed extensions',
  'subject-alternative-name': 'allowed extensions',
  'unknown-extension': 'allowed extensions',
  'aia-other-uri': 'authority information access',
  'aia-http-scheme': 'authority information access',
  'aia-ocsp': 'authority information access',
  'crl-other-uri': 'CRL distribution point',
  'no-basic-constraints': 'required extensions',
  'no-key-usage': 'required extensions',
  'no-aki': 'required extensions',
  'path-length-without-ca': 'required extensions',
  'key-usage-encipher-only': 'required extensions',
  'ca-true': 'end entity for digital signatures',
  'key-usage-with-key-agreement': 'end entity for digital signatures',
  'key-usage-without-signature': 'end entity for digital signatures',
  'aki-of-sibling': 'authority key identifier',
  'sibling-intermediate': 'authority key identifier',
  'aki-full-form-other-serial': 'authority key identifier',
  'aki-full-form-own-name': 'authority key identifier',
  expired: 'validity',
  'not-yet-valid': 'validity',
  'issuer-name-differs': 'issued by the intermediate',
  'rogue-chain': 'issued by the intermediate',
  'signature-bit-flipped': 'issued by the intermediate',
};

describe('the published leaves', () => {
  it('number 61', () => {
    expect(leafCases.cases).toHaveLength(61);
    expect(leafCases.cases.filter(({ expect: outcome }) => outcome !== 'accept').map(({ name }) => name).toSorted()) // prettier-ignore
      .toStrictEqual(Object.keys(REFUSED_BY).toSorted());
  });

  it.each(leafCases.cases)('are judged: $name is $expect', ({ name, derBase64, expect: outcome }) => {
    const { failed } = judgeLeaf(fromBase64(derBase64), RULES);
    expect(failed).toStrictEqual(
      outcome === 'accept' ? undefined : expect.objectContaining({ name: REFUSED_BY[name], outcome: KINDS[outcome] }),
    );
  });

  it('return the parsed certificate', () => {
    const der = fromBase64(pki.leaf.derBase64);
    const { certificate } = judgeLeaf(der, RULES);
    expect(certificate?.der).toStrictEqual(der);
    expect(Buffer.from(certificate!.publicKey.key.bytes).toString('hex')).toBe(pki.leaf.publicKeyHex);
    expect(Buffer.from(certificate!.serial).toString('hex')).toBe((394_590_176).toString(16));
  });
});

it('has the sixteen rows of the specification', () => {
  const outcomes = PROFILE_ROWS.map(({ outcome }) => outcome.replace('Certificate', '').toLowerCase());
  expect(outcomes).toStrictEqual([
    ...['invalid', 'invalid', 'unsupported', 'unsupported', 'unsupported', 'invalid', 'invalid', 'invalid'],
    ...['unsupported', 'unsupported', 'unsupported', 'invalid', 'unsupported', 'untrusted', 'invalid', 'untrusted'],
  ]);
});

describe('the URIs of the deployment', () => {
  const genuine = forgeCertificate();

  it('must be those of the leaf', () => {
    expect(judgeLeaf(genuine, { ...RULES, nowSeconds: VECTOR_NOW }).failed).toBeUndefined();
  });

  it('decide the location of the issuer', () => {
    const namespace = { ...vectorNamespace, leaf_ca_issuers_uri: 'https://example.test/other.crt' };
    expect(judgeLeaf(genuine, { ...RULES, namespace }).failed?.name).toBe('authority information access');
  });
});

it('rejects more than 1300 bytes', () => {
  const largest = leafCases.cases.find(({ name }) => name === 'exactly-at-most-1300-bytes')!;
  expect(largest.bytes).toBeLessThanOrEqual(MAX_LEAF_BYTES);
  expect(MAX_LEAF_BYTES).toBe(1300);
});
