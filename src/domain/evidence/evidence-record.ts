/** Evidence records, the stored form of accepted documents, and their receipts (evidence 9 and 11). */
import { formatMachineDid, type Address, type MachineId } from '../identifiers/identifiers.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import type { TrustedSeconds } from '../clock/clock-judgement.ts';
import { REVOCATION_STATUS } from './evidence-constants.ts';
import type { AcceptableEvidence, AcceptedEvidence } from './evidence-steps.ts';
import { chipRefOf, fingerprintOf, receiptIdOf, toHex, type Hex } from './signed-bytes.ts';

/** Evidence record for the attester. It carries no status: acceptance is not verification. */
export interface AcceptedEvidenceRecord {
  readonly receiptId: Hex;
  readonly evidenceHash: Hex;
  readonly machineId: MachineId;
  readonly chipRef: Hex;
  readonly leafFingerprint: Hex;
  /** Content octets of the leaf's serial. */
  readonly leafSerial: Hex;
  readonly controller: Address;
  /** Unix seconds. */
  readonly receivedAt: number;
  /** The document itself. Its nonce is consumed. */
  readonly evidence: Uint8Array;
}

/** Receipt of ten texts in wire order: no nonce, no signature, no certificate. */
export interface Receipt {
  readonly chipRef: string;
  readonly evidenceHash: string;
  readonly evidenceSchema: string;
  readonly machineDid: string;
  readonly machineId: string;
  readonly receiptId: string;
  readonly receivedAt: string;
  readonly revocationStatus: typeof REVOCATION_STATUS;
  readonly status: 'accepted';
  readonly trustBundle: string;
}

/** Returns the record that step 14 writes together with the consumption of the challenge. */
export function toEvidenceRecord(
  evidence: AcceptableEvidence,
  receivedAt: TrustedSeconds,
  namespace: Namespace,
): AcceptedEvidenceRecord {
  const { body, challenge, evidenceHash, leaf } = evidence;
  return {
    receiptId: receiptIdOf(evidenceHash, namespace),
    evidenceHash,
    machineId: challenge.machineId,
    chipRef: chipRefOf(leaf.publicKey.key.bytes),
    leafFingerprint: fingerprintOf(leaf.der),
    leafSerial: toHex(leaf.serial),
    controller: challenge.didController,
    receivedAt,
    evidence: body,
  };
}

export function toReceipt(evidence: AcceptedEvidence, namespace: Namespace): Receipt {
  const { challenge, document, evidenceHash, receivedAt } = evidence;
  return {
    chipRef: document.chipRef,
    evidenceHash,
    evidenceSchema: namespace.evidence_schema,
    machineDid: formatMachineDid(challenge.machineId, namespace),
    machineId: String(challenge.machineId),
    receiptId: receiptIdOf(evidenceHash, namespace),
    receivedAt: String(receivedAt),
    revocationStatus: REVOCATION_STATUS,
    status: 'accepted',
    trustBundle: namespace.trust_bundle,
  };
}
