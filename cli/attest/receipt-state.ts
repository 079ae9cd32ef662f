/** State of a receipt: what has become of accepted evidence on the chain (design/provable 4). */
import { isInForce, type ChipRecord } from '../../src/adapters/main-chain/reads/attestation-registry.ts';
import type { StoredEvidenceRecord } from '../../src/ports/store.ts';

export const RECEIPT_STATES = ['pending', 'attested', 'revoked', 'superseded', 'expired'] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

/** Returns the state. `chip` is the newest record of the machine; undefined without one. */
export function findReceiptState(
  record: StoredEvidenceRecord,
  chip: ChipRecord | undefined,
  nowSeconds: number,
): ReceiptState {
  if (chip === undefined) return 'pending';
  if (!isBasedOn(chip, record)) return record.receivedAt > chip.issuedAt ? 'pending' : 'superseded';
  if (chip.revokedAt !== 0) return 'revoked';
  return isInForce(chip, nowSeconds) ? 'attested' : 'expired';
}

/** Returns whether the chip record was issued for this evidence. A record without evidence names the certificate only. */
export function isBasedOn(chip: ChipRecord, record: StoredEvidenceRecord): boolean {
  if (chip.machineId !== record.machineId) return false;
  return chip.evidence === undefined
    ? chip.leafFingerprint === record.leafFingerprint && record.receivedAt <= chip.issuedAt
    : chip.evidence.evidenceHash === record.evidenceHash;
}
