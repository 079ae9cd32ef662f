/**
 * What does a client show to its user, sign, and send? (http-facts 9.3 and 9.4.) The same bytes that the service builds, from the
 * well-known document, the home that the profile tells, and the user's will. Nothing is signed here.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Namespace } from '../identifiers/namespace.ts';
import { formatDecisionMessage } from './decision-message.ts';
import type { Decision, DecisionHome, PublishedDeployment } from './decision.ts';

export interface PreparedDecision {
  readonly decision: Decision;
  /** How the home chain wants `message` to be signed: `personal_sign`, or Ed25519 over the bytes as they are. */
  readonly scheme: 'eip191' | 'ed25519';
  /** For the eyes of the user. */
  readonly text: string;
  readonly message: Uint8Array;
}

/** Throws a RangeError that names the field which cannot be signed. */
export function prepareDecision(
  decision: Decision,
  home: DecisionHome,
  deployment: PublishedDeployment,
  namespace: Pick<Namespace, 'message_header'>,
): PreparedDecision {
  const text = formatDecisionMessage(decision, home, deployment, namespace);
  return { decision, scheme: home.chain === 'main' ? 'eip191' : 'ed25519', text, message: utf8ToBytes(text) };
}
