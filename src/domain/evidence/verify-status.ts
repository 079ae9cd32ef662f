/**
 * What does the newest record of a topic say now? ("Verify statuses" of the interface, evidence 3.2.) KYB and chip are judged alike and
 * each for itself; there is no aggregate.
 */

export type VerifyStatus = 'unverified' | 'verified' | 'expired' | 'revoked';

/** The newest record of one topic and subject. Times in Unix seconds. */
export interface AttestationRecord {
  readonly issuedAt: bigint;
  /** Undefined: it never expires. */
  readonly expiresAt: bigint | undefined;
  readonly revokedAt: bigint | undefined;
}

/** `nowSeconds` is the service's clock, not the time of a block. Revoked comes before expired. */
export function judgeVerifyStatus(record: AttestationRecord | undefined, nowSeconds: number): VerifyStatus {
  if (record === undefined) return 'unverified';
  if (record.revokedAt !== undefined) return 'revoked';
  if (record.expiresAt !== undefined && record.expiresAt <= nowSeconds) return 'expired';
  return 'verified';
}
