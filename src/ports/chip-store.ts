/**
 * Which challenges are open, which documents were accepted for them? (evidence 4, 8 and 11; architecture, rule 4.) Implemented by
 * `adapters/sql` as a part of `Store`. Times in Unix seconds. A nonce never comes here: only its hash.
 */
import type { ChallengeLookup, ChallengeRecord } from '../domain/evidence/challenge-record.ts';
import type { AcceptanceOutcome } from '../domain/evidence/evidence-steps.ts';
import type { Intake } from '../domain/evidence/intake.ts';
import type { Hex } from '../domain/evidence/signed-bytes.ts';
import type { MachineId } from '../domain/identifiers.ts';

export interface NewChallenge extends Omit<ChallengeRecord, 'consumedBy'> {
  readonly issuedAt: number;
}

/** How many challenges may be open at once: neither consumed nor expired. */
export interface ChallengeCaps {
  readonly perMachine: number;
  readonly inAll: number;
}

/** As it is kept: without the document where a deployment keeps hashes only. */
export interface KeptIntake extends Omit<Intake, 'evidence'> {
  readonly evidence: Uint8Array | undefined;
}

export interface ChipStore {
  /** Keeps the challenge unless a cap is reached at `issuedAt`; counting and keeping are one. False: a cap is reached. */
  keepChallenge(challenge: NewChallenge, caps: ChallengeCaps): Promise<boolean>;
  /** `evidenceHash` tells a replay where the challenge itself is deleted. */
  findChallenge(nonceHash: Hex, evidenceHash: Hex): Promise<ChallengeLookup>;
  /**
   * Consumes the challenge if it is unconsumed and unexpired at the intake's `receivedAt`, and keeps the intake, in one transaction.
   * Otherwise writes nothing, and tells what is there.
   */
  acceptIntake(nonceHash: Hex, intake: KeptIntake): Promise<AcceptanceOutcome>;
  /** Deletes challenges that expired an hour ago, and consumed ones after 30 days; intakes stay. */
  deleteOldChallenges(nowSeconds: number): Promise<number>;
  /** Neither consumed nor expired. */
  countOpenChallenges(nowSeconds: number): Promise<number>;
  /** Newest first; of one machine, or of all. */
  listIntakes(machineId: MachineId | undefined, limit: number): Promise<KeptIntake[]>;
  readIntake(receiptId: Hex): Promise<KeptIntake | undefined>;
}
