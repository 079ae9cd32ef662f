/**
 * What is kept of a challenge, and may a document still be accepted for it? (evidence 8, step 9; 11.) The nonce itself is never kept.
 */
import { Fault } from '../faults.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import type { TrustedSeconds } from './trusted-clock.ts';
import type { Hex } from './signed-bytes.ts';

export interface ChallengeRecord {
  /** SHA-256 of the nonce. */
  readonly nonceHash: Hex;
  readonly machineId: MachineId;
  /** Effective controller when the challenge was issued. */
  readonly didController: Address;
  readonly chainId: number;
  /** Unix seconds; from this second on it is expired. */
  readonly expiresAt: number;
  /** Hash of the one document that was accepted for it. */
  readonly consumedBy: Hex | undefined;
}

/** What the store knows under the hash of a nonce. */
export type ChallengeLookup =
  | { readonly state: 'kept'; readonly challenge: ChallengeRecord }
  /** Never issued, or deleted since. Accepted documents are kept for longer, so a replay is still known as one. */
  | { readonly state: 'gone'; readonly isDocumentAccepted: boolean };

/** Throws unless the challenge is there, unconsumed and unexpired: consumption is told before expiry, so that a replay is told for ever. */
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
