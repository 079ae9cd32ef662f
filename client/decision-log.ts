/** Verification of an exported decision log, without a connection (design/provable 2). */
import { verifyBundle, type BundleProblem, type DecisionBundle } from '../src/domain/monetization/decision-bundle.ts';
import { toExpectedSigners, type StatementTrust } from './statements.ts';

export type { BundleProblem, DecisionBundle };

export interface BundleTrust extends StatementTrust {
  /** Hash of a head that was stored earlier; the bundle must contain it. */
  readonly knownHead?: string;
}

export type BundleCheck =
  | { readonly ok: true; readonly bundle: DecisionBundle }
  /** `invalid trust`: a registry or key that is no address. */
  | { readonly ok: false; readonly problem: BundleProblem | 'invalid trust' };

/** Verifies a bundle, given as text or as parsed JSON. Never throws for what the bundle holds. */
export function verifyDecisionBundle(document: unknown, trust: BundleTrust): BundleCheck {
  const signers = toExpectedSigners(trust);
  if (signers === undefined) return { ok: false, problem: 'invalid trust' };
  const result = verifyBundle(document, { ...signers, knownHead: trust.knownHead });
  return result.problem === undefined ? { ok: true, bundle: result.bundle } : { ok: false, problem: result.problem };
}
