/**
 * May a document be accepted for its challenge? Steps 6 to 14 of evidence 8, in their order; 1 to 5 belong to HTTP. Each step takes
 * what the step before it gave, and only a step can make it, so none can be skipped. Each throws the one refusal of its row; facts
 * of clock, store and chain come in as values, so the caller reads between the steps.
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
import { judgeClock, type TrustedSeconds } from './trusted-clock.ts';
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

/** What a deployment judges by; the same for every document. */
export interface EvidenceRules {
  readonly namespace: Namespace;
  readonly trust: TrustMaterial;
  readonly checks: Pick<SignatureChecks, 'recoverSigner'>;
}

/** Not configurable: these two have no name in them. */
export const CONTROLLER_SCHEME = 'eip191-secp256k1';
export const REVOCATION_STATUS = 'not_evaluated';

/** r and s; the recovery byte follows. */
const SCALARS_BYTES = 64;

declare const passed: unique symbol;
/** Marks what has passed a step. The marks add up. */
interface Passed<Step extends string> {
  readonly [passed]: Readonly<Record<Step, true>>;
}

interface Submission {
  readonly body: Uint8Array;
  readonly document: EvidenceDocument;
  readonly transcript: Uint8Array;
  readonly leafDer: Uint8Array;
  /** What the document is known by, and its challenge. */
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

/** 6. One JSON object of exactly the members, each in its form. Throws the fault `RequestMalformed`. */
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

/** 7. The body is the canonical form of what it says, byte for byte. */
export function requireCanonical(evidence: WellFormedEvidence): CanonicalEvidence {
  refuseUnless(isCanonical(evidence.body, evidence.document), 'EvidenceNotCanonical');
  return evidence as CanonicalEvidence;
}

/** 8. The fixed values are this deployment's. */
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

/** 9. The clock is usable. Before the store is asked for the challenge. */
export function requireClock(
  evidence: SupportedEvidence,
  nowMilliseconds: number,
  latestMilliseconds: number,
): TimedEvidence {
  const now = judgeClock(nowMilliseconds, latestMilliseconds);
  if (now === undefined) throw new Fault('ClockInvalid', {});
  return { ...evidence, now } as TimedEvidence;
}

/** 9. The challenge, looked up by `nonceHash`, is open. */
export function requireChallenge(evidence: TimedEvidence, lookup: ChallengeLookup): ChallengedEvidence {
  const challenge = requireOpen(lookup, evidence.evidenceHash, evidence.now);
  if (challenge.nonceHash !== evidence.nonceHash) throw new Error('the challenge of another nonce');
  return { ...evidence, challenge } as ChallengedEvidence;
}

/** 10. The transcript says what the challenge says, and both fingerprints are the leaf's. */
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

/** 11. The leaf fits the certificate profile. */
export function requireGenuineLeaf(evidence: MatchingEvidence, { trust, namespace }: EvidenceRules): CertifiedEvidence {
  const { certificate, failed } = judgeLeaf(evidence.leafDer, { trust, namespace, nowSeconds: evidence.now });
  if (failed !== undefined) throw new Fault(failed.outcome, {});
  return { ...evidence, leaf: certificate } as CertifiedEvidence;
}

/** 11. Key and chip reference are the leaf's. */
export function requireChipKey(evidence: CertifiedEvidence): ChipBoundEvidence {
  const { document, leaf } = evidence;
  const key = leaf.publicKey.key.bytes;
  refuseUnless(
    document.certificate.publicKey === toHex(key) && document.chipRef === chipRefOf(key),
    'EvidenceMismatch',
  );
  return evidence as ChipBoundEvidence;
}

/** 12. The chip signed the transcript. */
export function requireChipProof(evidence: ChipBoundEvidence, { namespace }: EvidenceRules): ChipSignedEvidence {
  const { document, transcript, leaf } = evidence;
  const signature = fromHex(document.proof.chipSignature);
  const isSigned = isSignedByP256(leaf.publicKey.encoded, chipPreimage(transcript, namespace), signature);
  refuseUnless(isSigned, 'ChipProofInvalid');
  return evidence as ChipSignedEvidence;
}

/** 12. The controller signed the transcript and the chip's signature. A high s is refused before anything is recovered. */
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

/** 13. The machine is still what the challenge says. Throws `MachineAbsent`, `MachineRelocating`, `ChainUnreadable` too. */
export function requireMachine(evidence: ProvenEvidence, standing: CurrentMachine): AcceptableEvidence {
  requireUnchanged(evidence.challenge, standing);
  return evidence as AcceptableEvidence;
}

/** What the one transaction of step 14 did: it wrote, or the challenge, read again, tells why not. */
export type AcceptanceOutcome = { readonly state: 'written' } | ChallengeLookup;

/**
 * 14. The store consumed the challenge and kept the document. `receivedAt` is the second that it compared with the challenge's end.
 * Throws as step 9, and `StoreUnavailable` when the challenge is still open and yet nothing was written.
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
