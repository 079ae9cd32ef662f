/** How do a decision and the deployment that it is bound to look on the wire? (http-facts 9.1 and 9.2.) */
import type { DecisionState } from '../../actions/monetization.ts';
import { formatSigner, type PublishedDeployment } from '../../domain/monetization/decision.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';

/** `GET /.well-known/…`. */
export function toPublishedDeployment({ chainId, registry }: PublishedDeployment, namespace: Namespace) {
  return { version: namespace.monetization_version, chain_id: chainId, registry };
}

/** `GET` and `PUT /machine/{key}/monetization`. */
export function toDecisionState({ id, inForce }: Pick<DecisionState, 'id' | 'inForce'>) {
  return {
    machine_id: String(id),
    status: toStatus(inForce?.optedIn),
    signer: inForce === undefined ? null : formatSigner(inForce.signer),
    updated_at: inForce?.timestamp ?? null,
  };
}

function toStatus(optedIn: boolean | undefined): 'PENDING' | 'OPTED_IN' | 'OPTED_OUT' {
  if (optedIn === undefined) return 'PENDING';
  return optedIn ? 'OPTED_IN' : 'OPTED_OUT';
}
