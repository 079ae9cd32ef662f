/**
 * Would the document of an intake be accepted again? (evidence 10; decisions 2.) Its stored bytes go through the steps once more, at the second of
 * their acceptance, and what stands beside them in the row must follow from them. For whoever records the attestation.
 */
import { Fault } from '../faults.ts';
import { requireOpen, type ChallengeLookup, type ChallengeRecord } from './challenge-record.ts';
import * as steps from './evidence-steps.ts';
import type { AcceptedEvidenceRecord } from './evidence-record.ts';
import { fingerprintOf, receiptIdOf, toHex } from './signed-bytes.ts';

/**
 * Throws the faults of `EvidenceRefusalKind` and `RequestMalformed`. `lookup` is that of the document's challenge; where its row is deleted, which it is
 * after 30 days, the intake's own columns stand for it.
 */
export async function judgeStoredEvidence(
  intake: AcceptedEvidenceRecord,
  lookup: (evidence: steps.TimedEvidence) => Promise<ChallengeLookup>,
  rules: steps.EvidenceRules,
): Promise<steps.ProvenEvidence> {
  const canonical = steps.requireCanonical(steps.requireWellFormed(intake.evidence));
  const acceptedAtMilliseconds = intake.receivedAt * 1000;
  const supported = steps.requireSupported(canonical, rules);
  const timed = steps.requireClock(supported, acceptedAtMilliseconds, acceptedAtMilliseconds);
  const challenge = reopen(await lookup(timed), intake, timed);
  const matching = steps.requireMatch(steps.requireChallenge(timed, { state: 'kept', challenge }), rules);
  const bound = steps.requireChipKey(steps.requireGenuineLeaf(matching, rules));
  const proven = steps.requireControllerProof(steps.requireChipProof(bound, rules), rules);
  requireRow(intake, proven, rules);
  return proven;
}

/** The challenge as it was before this document consumed it. Throws for one that anything else consumed, or nothing. */
function reopen(
  lookup: ChallengeLookup,
  intake: AcceptedEvidenceRecord,
  evidence: steps.TimedEvidence,
): ChallengeRecord {
  if (lookup.state === 'kept') {
    if (lookup.challenge.consumedBy !== intake.evidenceHash) throw new Fault('ChallengeConsumed', {});
    return { ...lookup.challenge, consumedBy: undefined };
  }
  if (!lookup.isDocumentAccepted) requireOpen(lookup, evidence.evidenceHash, evidence.now);
  const { chainId, expiresAt } = evidence.document.transcript;
  return {
    nonceHash: evidence.nonceHash,
    machineId: intake.machineId,
    didController: intake.controller,
    chainId: Number(chainId),
    expiresAt: Number(expiresAt),
    consumedBy: undefined,
  };
}

function requireRow(
  intake: AcceptedEvidenceRecord,
  proven: steps.ProvenEvidence,
  { namespace }: steps.EvidenceRules,
): void {
  const { document, challenge, evidenceHash, leafDer, leaf } = proven;
  const follows =
    intake.evidenceHash === evidenceHash &&
    intake.receiptId === receiptIdOf(evidenceHash, namespace) &&
    intake.machineId === challenge.machineId &&
    intake.controller === challenge.didController &&
    intake.chipRef === document.chipRef &&
    intake.leafFingerprint === fingerprintOf(leafDer) &&
    intake.leafSerial === toHex(leaf.serial);
  if (!follows) throw new Fault('EvidenceMismatch', {});
}
