import { describe, expect, expectTypeOf, it } from 'vitest';
import type { EvidenceDocument } from './evidence-document.ts';
import {
  CHALLENGE,
  createEvidenceHarness,
  forgeBody,
  judge,
  NOW,
  passSteps,
} from '../../../testing/fixtures/evidence-documents.ts';
import * as steps from './evidence-steps.ts';
import { vectorRules } from '../../../testing/fixtures/evidence-vectors.ts';
import { evidenceHashOf, type Hex } from './signed-bytes.ts';
import { rule } from '../../../test/conformance/rule.ts';

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

it('does not compile when a step is skipped', () => {
  expectTypeOf<steps.WellFormedEvidence>().not.toExtend<steps.CanonicalEvidence>();
  expectTypeOf<steps.CanonicalEvidence>().not.toExtend<steps.SupportedEvidence>();
  expectTypeOf<steps.SupportedEvidence & { readonly now: number }>().not.toExtend<steps.TimedEvidence>();
  expectTypeOf<steps.TimedEvidence>().not.toExtend<steps.ChallengedEvidence>();
  expectTypeOf<steps.ChallengedEvidence>().not.toExtend<steps.MatchingEvidence>();
  expectTypeOf<steps.MatchingEvidence>().not.toExtend<steps.CertifiedEvidence>();
  expectTypeOf<steps.CertifiedEvidence>().not.toExtend<steps.ChipBoundEvidence>();
  expectTypeOf<steps.ChipBoundEvidence>().not.toExtend<steps.ChipSignedEvidence>();
  expectTypeOf<steps.ChipSignedEvidence>().not.toExtend<steps.ProvenEvidence>();
  expectTypeOf<steps.ProvenEvidence>().not.toExtend<steps.AcceptableEvidence>();
  expectTypeOf<steps.AcceptableEvidence>().not.toExtend<steps.AcceptedEvidence>();
  const wellFormed = steps.requireWellFormed(forgeBody());
  // @ts-expect-error: the canonical form was not asked for
  expect(steps.requireSupported(wellFormed, vectorRules)).toBe(wellFormed);
});

describe('the transcript', () => {
  rule('security.signed-transcript');
  const OTHER = `0x${'00'.repeat(32)}`;

  it.each<[name: string, text: string]>([
    ['machineId', '5'],
    ['machineDid', 'did:svc:5'],
    ['machineDid', `did:other:${CHALLENGE.machineId}`],
    ['machineDid', String(CHALLENGE.machineId)],
    ['didController', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
    ['chainId', '1'],
    ['expiresAt', String(NOW + 299)],
    ['certificateFingerprintSha256', OTHER],
  ])('is rejected with another %s than in the challenge: %s', (name, text) => {
    expect(judge({ body: forgeBody({ transcript: { [name]: text } }) })).toBe('EvidenceMismatch');
  });

  it('must name the same leaf as the document', () => {
    const edit = (document: EvidenceDocument) => ({
      ...document,
      certificate: { ...document.certificate, fingerprintSha256: OTHER },
    });
    expect(judge({ body: forgeBody({ edit }) })).toBe('EvidenceMismatch');
  });
});

it.each(['profile', 'protocol', 'verifier'])('rejects another word in the transcript: %s', (name) => {
  expect(judge({ body: forgeBody({ transcript: { [name]: 'other' } }) })).toBe('EvidenceUnsupported');
});

describe('a document with another word', () => {
  const proofOf = (document: EvidenceDocument) => ({ ...document.controllerProof, scheme: 'other' });
  const edits: Record<string, (document: EvidenceDocument) => EvidenceDocument> = {
    evidenceSchema: (document) => ({ ...document, evidenceSchema: 'other' }),
    profile: (document) => ({ ...document, profile: 'other' }),
    trustBundle: (document) => ({ ...document, trustBundle: 'other' }),
    revocationStatus: (document) => ({ ...document, revocationStatus: 'other' }),
    scheme: (document) => ({ ...document, controllerProof: proofOf(document) }),
  };

  it.each(Object.entries(edits))('is unsupported: %s', (_name, edit) => {
    expect(judge({ body: forgeBody({ edit }) })).toBe('EvidenceUnsupported');
  });
});

it('requires key and chip reference of the leaf', () => {
  const key = (document: EvidenceDocument) => ({
    ...document,
    certificate: { ...document.certificate, publicKey: `0x04${'11'.repeat(64)}` },
  });
  const reference = (document: EvidenceDocument) => ({ ...document, chipRef: `0x${'11'.repeat(32)}` });
  expect([key, reference].map((edit) => judge({ body: forgeBody({ edit }) }))).toEqual([
    'EvidenceMismatch',
    'EvidenceMismatch',
  ]);
});

it('rejects a controller signature with high s, although it recovers to the same account', () => {
  const edit = (document: EvidenceDocument) => {
    const { signature } = document.controllerProof;
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const twin = (SECP256K1_ORDER - s).toString(16).padStart(64, '0') + (signature.endsWith('1b') ? '1c' : '1b');
    return { ...document, controllerProof: { ...document.controllerProof, signature: signature.slice(0, 66) + twin } };
  };
  expect(judge({ body: forgeBody({ edit }) })).toBe('ControllerProofInvalid');
});

it('rejects an empty leaf as an invalid certificate', () => {
  expect(judge({ body: forgeBody({ leaf: new Uint8Array() }) })).toBe('CertificateInvalid');
});

describe('acceptance', () => {
  const body = forgeBody();
  const hash = evidenceHashOf(body);
  const kept = (consumedBy: Hex | undefined, expiresAt = NOW + 300): steps.AcceptanceOutcome => ({
    state: 'stored',
    challenge: { ...CHALLENGE, consumedBy, expiresAt },
  });

  it.each<[name: string, outcome: steps.AcceptanceOutcome, kind: string]>([
    ['written by the store', { state: 'written' }, 'accepted'],
    ['lost to another document', kept(`0x${'11'.repeat(32)}`), 'ChallengeConsumed'],
    ['lost to the same document', kept(hash), 'EvidenceAlreadyAccepted'],
    ['after the expiry', kept(undefined, NOW), 'ChallengeExpired'],
    ['after deletion of the challenge', { state: 'gone', isDocumentAccepted: false }, 'ChallengeUnknown'],
    [
      'after deletion of the challenge it consumed',
      { state: 'gone', isDocumentAccepted: true },
      'EvidenceAlreadyAccepted',
    ],
    ['refused by the store for an unknown reason', kept(undefined), 'StoreUnavailable'],
  ])('%s ends as %s', (_name, outcome, kind) => {
    expect(judge({ body, outcome })).toBe(kind);
  });

  it('carries the second in which it was written', () => {
    expect(passSteps(createEvidenceHarness({ receivedAt: NOW + 3 })).receivedAt).toBe(NOW + 3);
  });
});

it('throws a plain error when the caller passes the challenge of another nonce', () => {
  const challenge = { ...CHALLENGE, nonceHash: `0x${'00'.repeat(32)}` as const };
  expect(() => judge({ lookup: () => ({ state: 'stored', challenge }) })).toThrow(
    'the challenge belongs to another nonce',
  );
});
