/**
 * What has been decided about a machine's monetization, by whom, and which decisions came before? ("Monetization opt-in" of the
 * interface; architecture, rule 4.) Implemented by `adapters/sql` as a part of `Store`.
 */
import type { MachineId } from '../domain/identifiers.ts';
import type { SignedDecision } from '../domain/monetization/decision.ts';

/** A decision as the audit keeps it: with it and the deployment anyone can check the signature again. */
export interface AppliedDecision extends SignedDecision {
  /** As it was sent. */
  readonly signature: string;
  /** The service's clock. */
  readonly appliedAtMilliseconds: number;
}

export interface DecisionStore {
  /** The decision in force; undefined when there was none. */
  readDecision(id: MachineId): Promise<SignedDecision | undefined>;
  /**
   * Puts a decision in force, and into the audit, if its timestamp is strictly newer than that of the one in force; one statement
   * compares and writes. True: both are on disk. False: it is not newer, and nothing was stored.
   */
  applyDecision(decision: AppliedDecision): Promise<boolean>;
  /** Every decision that was ever in force, oldest first. */
  listAppliedDecisions(id: MachineId): Promise<AppliedDecision[]>;
}
