/**
 * Preparation of a decision for signing by a client (http-facts 9.3 and 9.4): the same bytes that the service builds, from the well-known
 * document, the machine's home in its profile, and the user's choice. Nothing is signed here.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Namespace } from '../identifiers/namespace.ts';
import { formatDecisionMessage } from './decision-message.ts';
import type { Decision, DecisionHome, PublishedDeployment } from './decision.ts';

export interface PreparedDecision {
  readonly decision: Decision;
  /** Signature scheme of the home chain: `personal_sign`, or Ed25519 over the bytes of `message` as they are. */
  readonly scheme: 'eip191' | 'ed25519';
  /** The message as text, for display to the user. */
  readonly text: string;
  readonly message: Uint8Array;
}

/** Builds the message to sign. Throws a RangeError that names the invalid field. */
export function prepareDecision(
  decision: Decision,
  home: DecisionHome,
  deployment: PublishedDeployment,
  namespace: Pick<Namespace, 'message_header'>,
): PreparedDecision {
  const text = formatDecisionMessage(decision, home, deployment, namespace);
  return { decision, scheme: home.chain === 'main' ? 'eip191' : 'ed25519', text, message: utf8ToBytes(text) };
}
