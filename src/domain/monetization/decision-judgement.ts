/**
 * Judgement of a decision whose members and window are valid and whose machine was found (http-facts 9.4: kind of the signature,
 * signature, authority, strictly newer, then the conditions of an opt-in). The store decides "strictly newer" in the statement that
 * writes, so the judgement has two parts, before and after the store:
 *
 * - `judgeDecision` returns a refusal, or a decision that the store applies if it is newer;
 * - when an opt-in has an impediment, the store only compares the decision;
 * - `concludeDecision` combines both: "not newer" takes precedence over the impediment.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { Fault, type DecisionRefusal } from '../faults.ts';
import type { MachineId } from '../identifiers/identifiers.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import type { SignatureChecks } from '../signatures/signature-checks.ts';
import type { DecidingMachine } from './deciding-machine.ts';
import { formatDecisionMessage } from './decision-message.ts';
import type { DecisionRequest } from './decision-request.ts';
import { judgeSigner } from './decision-signer.ts';
import type { PublishedDeployment, SignedDecision } from './decision.ts';
import { judgeOptIn } from './opt-in.ts';

/** Inputs that are the same for every decision of a deployment. */
export interface DecisionTerms {
  readonly namespace: Pick<Namespace, 'message_header'>;
  readonly deployment: PublishedDeployment;
  readonly checks: SignatureChecks;
}

export type DecisionJudgement =
  | {
      readonly refusal: DecisionRefusal;
      readonly decision?: never;
      readonly message?: never;
      readonly impediment?: never;
    }
  /** The store applies the decision if it is newer; with an impediment it only compares. */
  | {
      readonly decision: SignedDecision;
      /** The signed message. */
      readonly message: string;
      readonly impediment: Fault | undefined;
      readonly refusal?: never;
    };

/** Judges signature, authority and impediments. Throws `ChainUnreadable` when the signer's authority depends on an unreadable fact. */
export function judgeDecision(
  terms: DecisionTerms,
  machineId: MachineId,
  { optedIn, timestamp, proof }: DecisionRequest,
  machine: DecidingMachine,
): DecisionJudgement {
  const decision = { machineId, optedIn, timestamp };
  const message = formatDecisionMessage(decision, machine.home, terms.deployment, terms.namespace);
  const { signer, refusal } = judgeSigner(terms.checks, utf8ToBytes(message), proof, machine);
  if (refusal !== undefined) return { refusal };
  return { decision: { ...decision, signer }, message, impediment: optedIn ? findImpediment(machine) : undefined };
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
