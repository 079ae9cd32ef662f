/** Stored challenges and the check that one is still open (evidence 8, step 9; 11). The nonce itself is never stored. */
import { Fault } from '../faults.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import type { TrustedSeconds } from '../clock/clock-judgement.ts';
import type { Hex } from './signed-bytes.ts';

export interface ChallengeRecord {
  /** SHA-256 of the nonce. */
  readonly nonceHash: Hex;
  readonly machineId: MachineId;
  /** Effective controller at the time of issue. */
  readonly didController: Address;
  readonly chainId: number;
  /** Unix seconds; the first second at which it is expired. */
  readonly expiresAt: number;
  /** Hash of the one document that was accepted for it. */
  readonly consumedBy: Hex | undefined;
}

/** Result of looking up the hash of a nonce. */
export type ChallengeLookup =
  | { readonly state: 'stored'; readonly challenge: ChallengeRecord }
  /** Never issued, or deleted since. Accepted documents are retained longer, so that a replay is still detected. */
  | { readonly state: 'gone'; readonly isDocumentAccepted: boolean };

/**
 * Returns the challenge if it is open. Throws `ChallengeUnknown`, `EvidenceAlreadyAccepted`, `ChallengeConsumed`,
 * `ChallengeExpired`; consumption comes before expiry, so that a replay is always reported as one.
 */
export function requireOpen(lookup: ChallengeLookup, evidenceHash: Hex, now: TrustedSeconds): ChallengeRecord {
  if (lookup.state === 'gone') {
    throw new Fault(lookup.isDocumentAccepted ? 'EvidenceAlreadyAccepted' : 'ChallengeUnknown', {});
  }
  const { challenge } = lookup;
  if (challenge.consumedBy === evidenceHash) throw new Fault('EvidenceAlreadyAccepted', {});
  if (challenge.consumedBy !== undefined) throw new Fault('ChallengeConsumed', {});
  if (now >= challenge.expiresAt) throw new Fault('ChallengeExpired', {});
  return challenge;
}
