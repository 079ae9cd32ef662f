/**
 * What becomes of a request whose members and window have been judged and whose machine has been found? (http-facts 9.4: kind
 * of the signature, signature, authority, strictly newer, then what an opt-in needs.) Strictly newer is the store's word, given
 * in the statement that writes, so the judgement comes in two halves with the store between them:
 *
 * - `judgeDecision` refuses, or hands over a decision that the store shall apply if it is newer;
 * - where an opt-in is impeded, the store only tells whether the decision is newer;
 * - `concludeDecision` answers: not newer comes before the impediment.
 */
import { Fault } from '../faults.ts';
import type { MachineId } from '../identifiers/identifiers.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import type { SignatureChecks } from '../signatures/signature-checks.ts';
import type { DecidingMachine } from './deciding-machine.ts';
import { encodeDecisionMessage } from './decision-message.ts';
import type { DecisionRequest } from './decision-request.ts';
import { judgeSigner } from './decision-signer.ts';
import type { PublishedDeployment, SignedDecision } from './decision.ts';
import { judgeOptIn } from './opt-in.ts';
import type { DecisionRefusal } from './decision-refusal.ts';

/** What is the same for every decision of a deployment. */
export interface DecisionTerms {
  readonly namespace: Pick<Namespace, 'message_header'>;
  readonly deployment: PublishedDeployment;
  readonly checks: SignatureChecks;
}

export type DecisionJudgement =
  | { readonly refusal: DecisionRefusal; readonly decision?: never; readonly impediment?: never }
  /** To be applied if it is newer, or, when impeded, only to be compared. */
  | { readonly decision: SignedDecision; readonly impediment: Fault | undefined; readonly refusal?: never };

/** Throws `ChainUnreadable` where the authority of the signer depends on a fact that is unreadable. */
export function judgeDecision(
  terms: DecisionTerms,
  machineId: MachineId,
  { optedIn, timestamp, proof }: DecisionRequest,
  machine: DecidingMachine,
): DecisionJudgement {
  const decision = { machineId, optedIn, timestamp };
  const message = encodeDecisionMessage(decision, machine.home, terms.deployment, terms.namespace);
  const { signer, refusal } = judgeSigner(terms.checks, message, proof, machine);
  if (refusal !== undefined) return { refusal };
  return { decision: { ...decision, signer }, impediment: optedIn ? findImpediment(machine) : undefined };
}

/** Returns the fault that refuses the decision after all; undefined when the decision applies. */
export function concludeDecision(impediment: Fault | undefined, isNewer: boolean): Fault | undefined {
  return isNewer ? impediment : new Fault('DecisionNotNewer', {});
}

/** Returns what keeps an entitled signer's opt-in from being applied; an unreadable fact is an impediment too. */
function findImpediment(machine: DecidingMachine): Fault | undefined {
  try {
    return judgeOptIn(machine);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
