/**
 * Verify status of the newest attestation record of a topic ("Verify statuses" of the interface, evidence 3.2). KYB and chip are
 * judged by the same rule, independently; there is no aggregate.
 */

export type VerifyStatus = 'unverified' | 'verified' | 'expired' | 'revoked';

/** The newest record of one topic and subject. Times in Unix seconds. */
export interface AttestationRecord {
  readonly issuedAt: bigint;
  /** Undefined: no expiry. */
  readonly expiresAt: bigint | undefined;
  readonly revokedAt: bigint | undefined;
}

/** Returns the status; revoked comes before expired. `nowSeconds` is the service's clock, not the time of a block. */
export function judgeVerifyStatus(record: AttestationRecord | undefined, nowSeconds: number): VerifyStatus {
  if (record === undefined) return 'unverified';
  if (record.revokedAt !== undefined) return 'revoked';
  if (record.expiresAt !== undefined && record.expiresAt <= nowSeconds) return 'expired';
  return 'verified';
}
