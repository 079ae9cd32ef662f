/**
 * Decision log of a machine (design/provable 2). `listDecisions` requests a page of it, and `verifyDecisionBundle` checks a bundle that the
 * operator exported, without a connection.
 */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import { verifyBundle, type BundleProblem, type DecisionBundle } from '../src/domain/monetization/decision-bundle.ts';
import type { DecisionLogResponse } from '../src/http/wire/response-types.ts';
import { request, type Connection, type Result } from './http.ts';
import type { EventPageOptions } from './machine-history.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
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

/** Requests a page of the decisions that were in force, newest first. They are not verified. */
export function listDecisions(
  connection: Connection,
  machine: MachineKey,
  { cursor, limit = 20, ...options }: EventPageOptions = {},
): Promise<Result<DecisionLogResponse>> {
  const { namespace } = connection;
  const from = cursor === undefined || cursor === null ? '' : `&cursor=${cursor}`;
  return withMachine(machine, namespace, (id) =>
    request<DecisionLogResponse>(
      connection,
      `/machine/${formatMachineDid(id, namespace)}/monetization/history?limit=${limit}${from}`,
      ({ decisions }) =>
        Array.isArray(decisions) &&
        decisions.every((each) => (each as { machine_id?: unknown } | null)?.machine_id === String(id)),
      options,
    ),
  );
}

/** Verifies a bundle, given as text or as parsed JSON. Never throws for what the bundle holds. */
export function verifyDecisionBundle(document: unknown, trust: BundleTrust): BundleCheck {
  const signers = toExpectedSigners(trust);
  if (signers === undefined) return { ok: false, problem: 'invalid trust' };
  const result = verifyBundle(document, { ...signers, knownHead: trust.knownHead });
  return result.problem === undefined ? { ok: true, bundle: result.bundle } : { ok: false, problem: result.problem };
}
