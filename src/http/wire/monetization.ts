/** Maps an opt-in decision and the deployment that it is bound to, to their responses (http-facts 9.1 and 9.2). */
import type { DecisionState } from '../../actions/monetization.ts';
import { formatSigner, type PublishedDeployment } from '../../domain/monetization/decision.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { MonetizationStateResponse, PublishedDeploymentResponse } from './response-types.ts';

/** `GET /.well-known/…`. */
export function toPublishedDeployment(
  { chainId, registry }: PublishedDeployment,
  namespace: Namespace,
): PublishedDeploymentResponse {
  return { version: namespace.monetization_version, chain_id: chainId, registry };
}

/** `GET` and `PUT /machine/{key}/monetization`. */
export function toDecisionState({ id, inForce }: Pick<DecisionState, 'id' | 'inForce'>): MonetizationStateResponse {
  const machineId = String(id);
  if (inForce === undefined) return { machine_id: machineId, status: 'PENDING', signer: null, updated_at: null };
  return {
    machine_id: machineId,
    status: inForce.optedIn ? 'OPTED_IN' : 'OPTED_OUT',
    signer: formatSigner(inForce.signer),
    updated_at: inForce.timestamp,
  };
}
