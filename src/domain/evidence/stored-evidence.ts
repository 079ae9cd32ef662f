/**
 * Re-validates an evidence record before its attestation (evidence 10; decisions 2): the stored document must pass all steps again
 * at the second of its acceptance, and the record's columns must follow from it.
 */
import type { TrustedSeconds } from '../clock/clock-judgement.ts';
import { Fault } from '../faults.ts';
import { requireOpen, type ChallengeLookup, type ChallengeRecord } from './challenge-record.ts';
import * as steps from './evidence-steps.ts';
import type { AcceptedEvidenceRecord } from './evidence-record.ts';
import { fingerprintOf, receiptIdOf, toHex } from './signed-bytes.ts';

/**
 * Returns the proven evidence. Throws the faults of `EvidenceRefusalKind` and `RequestMalformed`. `lookup` finds the document's
 * challenge; after its deletion (30 days) the record's own columns replace it.
 */
export async function judgeStoredEvidence(
  record: AcceptedEvidenceRecord,
  lookup: (evidence: steps.TimedEvidence) => Promise<ChallengeLookup>,
  rules: steps.EvidenceRules,
): Promise<steps.ProvenEvidence> {
  const canonical = steps.requireCanonical(steps.requireWellFormed(record.evidence));
  const supported = steps.requireSupported(canonical, rules);
  // The clock was usable when the document was accepted.
  const timed = steps.requireClock(supported, record.receivedAt as TrustedSeconds);
  const challenge = reopen(await lookup(timed), record, timed);
  const matching = steps.requireMatch(steps.requireChallenge(timed, { state: 'stored', challenge }), rules);
  const bound = steps.requireChipKey(steps.requireGenuineLeaf(matching, rules));
  const proven = steps.requireControllerProof(steps.requireChipProof(bound, rules), rules);
  requireRow(record, proven, rules);
  return proven;
}

/** Returns the challenge as it was before this document consumed it. Throws unless exactly this document consumed it. */
function reopen(
  lookup: ChallengeLookup,
  record: AcceptedEvidenceRecord,
  evidence: steps.TimedEvidence,
): ChallengeRecord {
  if (lookup.state === 'stored') {
    if (lookup.challenge.consumedBy !== record.evidenceHash) throw new Fault('ChallengeConsumed', {});
    return { ...lookup.challenge, consumedBy: undefined };
  }
  if (!lookup.isDocumentAccepted) requireOpen(lookup, evidence.evidenceHash, evidence.now);
  const { chainId, expiresAt } = evidence.document.transcript;
  return {
    nonceHash: evidence.nonceHash,
    machineId: record.machineId,
    didController: record.controller,
    chainId: Number(chainId),
    expiresAt: Number(expiresAt),
    consumedBy: undefined,
  };
}

function requireRow(
  record: AcceptedEvidenceRecord,
  proven: steps.ProvenEvidence,
  { namespace }: steps.EvidenceRules,
): void {
  const { document, challenge, evidenceHash, leafDer, leaf } = proven;
  const follows =
    record.evidenceHash === evidenceHash &&
    record.receiptId === receiptIdOf(evidenceHash, namespace) &&
    record.machineId === challenge.machineId &&
    record.controller === challenge.didController &&
    record.chipRef === document.chipRef &&
    record.leafFingerprint === fingerprintOf(leafDer) &&
    record.leafSerial === toHex(leaf.serial);
  if (!follows) throw new Fault('EvidenceMismatch', {});
}
