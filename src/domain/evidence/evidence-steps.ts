/**
 * Evidence validation: steps 6 to 14 of evidence 8, in order; steps 1 to 5 belong to HTTP. Each step takes the result of the step
 * before it, which only that step can make, so none can be skipped. Each throws the one fault of its row. Facts of clock, store and
 * chain are passed as values, so the caller reads between the steps.
 */
import { isCanonical } from '../json/canonical-json.ts';
import { Fault } from '../faults.ts';
import { formatAddress, formatMachineDid } from '../identifiers/identifiers.ts';
import { keccak256 } from '../index-rules/keccak.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import type { SignatureChecks } from '../signatures/signature-checks.ts';
import { SECP256K1_ORDER } from '../signatures/signature-encoding-rules.ts';
import { parseRecoverableSignature, recoverableSignatureBytes } from '../signatures/signature-parsing.ts';
import type { Certificate } from './certificate/certificate.ts';
import { judgeLeaf } from './certificate/leaf-profile.ts';
import type { TrustMaterial } from './certificate/trust-material.ts';
import { requireOpen, type ChallengeLookup, type ChallengeRecord } from './challenge-record.ts';
import { CONTROLLER_SCHEME, REVOCATION_STATUS } from './evidence-constants.ts';
import type { TrustedSeconds } from '../clock/clock-judgement.ts';
import { parseEvidenceDocument, type EvidenceDocument, type Transcript } from './evidence-document.ts';
import { isLowS } from './low-s.ts';
import { requireUnchanged, type CurrentMachine } from './machine-unchanged.ts';
import { isSignedByP256 } from './p256.ts';
import type { EvidenceRefusalKind } from './refusal.ts';
import {
  chipPreimage,
  chipRefOf,
  controllerMessage,
  fingerprintOf,
  fromHex,
  nonceHashOf,
  toHex,
  transcriptBytes,
  type Hex,
} from './signed-bytes.ts';

/** Configuration that documents are judged by; the same for every document. */
export interface EvidenceRules {
  readonly namespace: Namespace;
  readonly trust: TrustMaterial;
  readonly checks: Pick<SignatureChecks, 'recoverSigner'>;
}

/** r and s; the recovery byte follows. */
const SCALARS_BYTES = 64;

declare const passed: unique symbol;
/** Brand of evidence that has passed a step. Brands accumulate. */
interface Passed<Step extends string> {
  readonly [passed]: Readonly<Record<Step, true>>;
}

interface Submission {
  readonly body: Uint8Array;
  readonly document: EvidenceDocument;
  readonly transcript: Uint8Array;
  readonly leafDer: Uint8Array;
  /** Hashes that identify the document and its challenge. */
  readonly evidenceHash: Hex;
  readonly nonceHash: Hex;
}

export type WellFormedEvidence = Submission & Passed<'form'>;
export type CanonicalEvidence = WellFormedEvidence & Passed<'canonical'>;
export type SupportedEvidence = CanonicalEvidence & Passed<'supported'>;
export type TimedEvidence = SupportedEvidence & { readonly now: TrustedSeconds } & Passed<'clock'>;
export type ChallengedEvidence = TimedEvidence & { readonly challenge: ChallengeRecord } & Passed<'challenge'>;
export type MatchingEvidence = ChallengedEvidence & Passed<'match'>;
export type CertifiedEvidence = MatchingEvidence & { readonly leaf: Certificate } & Passed<'certificate'>;
export type ChipBoundEvidence = CertifiedEvidence & Passed<'chip key'>;
export type ChipSignedEvidence = ChipBoundEvidence & Passed<'chip proof'>;
export type ProvenEvidence = ChipSignedEvidence & Passed<'controller proof'>;
export type AcceptableEvidence = ProvenEvidence & Passed<'machine'>;
export type AcceptedEvidence = AcceptableEvidence & { readonly receivedAt: TrustedSeconds } & Passed<'accepted'>;

/** Step 6: requires one JSON object of exactly the members, each in its form. Throws `RequestMalformed`. */
export function requireWellFormed(body: Uint8Array): WellFormedEvidence {
  const document = parseEvidenceDocument(body);
  if (document === undefined) throw new Fault('RequestMalformed', {});
  const submission: Submission = {
    body,
    document,
    transcript: transcriptBytes(document.transcript),
    leafDer: Buffer.from(document.certificate.leafDerBase64url, 'base64url'),
    evidenceHash: toHex(keccak256(body)),
    nonceHash: nonceHashOf(document.transcript.nonce),
  };
  return submission as WellFormedEvidence;
}

/** Step 7: requires the body to be in canonical form, byte for byte. */
export function requireCanonical(evidence: WellFormedEvidence): CanonicalEvidence {
  refuseUnless(isCanonical(evidence.body, evidence.document), 'EvidenceNotCanonical');
  return evidence as CanonicalEvidence;
}

/** Step 8: requires the fixed values of this deployment. */
export function requireSupported(evidence: CanonicalEvidence, { namespace }: EvidenceRules): SupportedEvidence {
  const { document } = evidence;
  const { transcript } = document;
  refuseUnless(
    document.evidenceSchema === namespace.evidence_schema &&
      document.profile === namespace.chip_profile &&
      document.trustBundle === namespace.trust_bundle &&
      document.revocationStatus === REVOCATION_STATUS &&
      document.controllerProof.scheme === CONTROLLER_SCHEME &&
      transcript.profile === namespace.chip_profile &&
      transcript.protocol === namespace.protocol &&
      transcript.verifier === namespace.verifier,
    'EvidenceUnsupported',
  );
  return evidence as SupportedEvidence;
}

/** Step 9: requires a usable clock, before the challenge is looked up; `now` is undefined while it is not. */
export function requireClock(evidence: SupportedEvidence, now: TrustedSeconds | undefined): TimedEvidence {
  if (now === undefined) throw new Fault('ClockInvalid', {});
  return { ...evidence, now } as TimedEvidence;
}

/** Step 9: requires that the challenge, looked up by `nonceHash`, is open. */
export function requireChallenge(evidence: TimedEvidence, lookup: ChallengeLookup): ChallengedEvidence {
  const challenge = requireOpen(lookup, evidence.evidenceHash, evidence.now);
  if (challenge.nonceHash !== evidence.nonceHash) throw new Error('the challenge belongs to another nonce');
  return { ...evidence, challenge } as ChallengedEvidence;
}

/** Step 10: requires the transcript to match the challenge, and both fingerprints to be the leaf's. */
export function requireMatch(evidence: ChallengedEvidence, { namespace }: EvidenceRules): MatchingEvidence {
  const { document, challenge, leafDer } = evidence;
  const fingerprint = fingerprintOf(leafDer);
  const expected: Partial<Transcript> = {
    certificateFingerprintSha256: fingerprint,
    chainId: String(challenge.chainId),
    didController: formatAddress(challenge.didController),
    expiresAt: String(challenge.expiresAt),
    machineDid: formatMachineDid(challenge.machineId, namespace),
    machineId: String(challenge.machineId),
  };
  const agrees = Object.entries(expected).every(
    ([name, text]) => document.transcript[name as keyof Transcript] === text,
  );
  refuseUnless(agrees && document.certificate.fingerprintSha256 === fingerprint, 'EvidenceMismatch');
  return evidence as MatchingEvidence;
}

/** Step 11: requires a leaf that meets the certificate profile. */
export function requireGenuineLeaf(evidence: MatchingEvidence, { trust, namespace }: EvidenceRules): CertifiedEvidence {
  const { certificate, failed } = judgeLeaf(evidence.leafDer, { trust, namespace, nowSeconds: evidence.now });
  if (failed !== undefined) throw new Fault(failed.outcome, {});
  return { ...evidence, leaf: certificate } as CertifiedEvidence;
}

/** Step 11: requires key and chip reference to be the leaf's. */
export function requireChipKey(evidence: CertifiedEvidence): ChipBoundEvidence {
  const { document, leaf } = evidence;
  const key = leaf.publicKey.key.bytes;
  refuseUnless(
    document.certificate.publicKey === toHex(key) && document.chipRef === chipRefOf(key),
    'EvidenceMismatch',
  );
  return evidence as ChipBoundEvidence;
}

/** Step 12: requires the chip's signature over the transcript. */
export function requireChipProof(evidence: ChipBoundEvidence, { namespace }: EvidenceRules): ChipSignedEvidence {
  const { document, transcript, leaf } = evidence;
  const signature = fromHex(document.proof.chipSignature);
  const isSigned = isSignedByP256(leaf.publicKey.encoded, chipPreimage(transcript, namespace), signature);
  refuseUnless(isSigned, 'ChipProofInvalid');
  return evidence as ChipSignedEvidence;
}

/** Step 12: requires the controller's signature over transcript and chip signature. Rejects a high s before recovering the signer. */
export function requireControllerProof(
  evidence: ChipSignedEvidence,
  { namespace, checks }: EvidenceRules,
): ProvenEvidence {
  const { document, transcript, challenge } = evidence;
  const signature = parseRecoverableSignature(document.controllerProof.signature)!;
  refuseUnless(
    isLowS(recoverableSignatureBytes(signature).subarray(0, SCALARS_BYTES), SECP256K1_ORDER),
    'ControllerProofInvalid',
  );
  const message = controllerMessage(transcript, document.proof.chipSignature, namespace);
  refuseUnless(checks.recoverSigner(message, signature) === challenge.didController, 'ControllerProofInvalid');
  return evidence as ProvenEvidence;
}

/** Step 13: requires that the machine has not changed since the challenge. Throws as `requireUnchanged`. */
export function requireMachine(evidence: ProvenEvidence, machine: CurrentMachine): AcceptableEvidence {
  requireUnchanged(evidence.challenge, machine);
  return evidence as AcceptableEvidence;
}

/** Outcome of the transaction of step 14: written, or the challenge as it is instead. */
export type AcceptanceOutcome = { readonly state: 'written' } | ChallengeLookup;

/**
 * Step 14: requires that the store consumed the challenge and stored the record. `receivedAt` is the second that it compared with
 * the challenge's expiry. Throws as step 9, and `StoreUnavailable` when the challenge is still open although nothing was written.
 */
export function requireAccepted(
  evidence: AcceptableEvidence,
  outcome: AcceptanceOutcome,
  receivedAt: TrustedSeconds,
): AcceptedEvidence {
  if (outcome.state !== 'written') {
    requireOpen(outcome, evidence.evidenceHash, receivedAt);
    throw new Fault('StoreUnavailable', {});
  }
  return { ...evidence, receivedAt } as AcceptedEvidence;
}

function refuseUnless(holds: boolean, otherwise: EvidenceRefusalKind): asserts holds {
  if (!holds) throw new Fault(otherwise, {});
}
