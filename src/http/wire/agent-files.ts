/**
 * Maps a machine to the files of ERC-8004: its registration, and its rating as feedback. Ids are text where the examples of the ERC have a
 * number, which would lose digits.
 */
import type { MachineCard } from '../../actions/machines.ts';
import { formatMachineDid } from '../../domain/identifiers/identifiers.ts';
import type { SignedStatement } from '../../domain/statements/rating-statement.ts';
import { formatMachineName, formatRegistration } from './machines.ts';
import { imageOf, type LinkBase } from './marketplace.ts';
import type { AgentRegistrationResponse } from './response-types.ts';
import { isWebUrl } from './web-url.ts';

const REGISTRATION_TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';

/** Lists only services with an HTTP URL: others wrote them, and an agent opens them. */
export function toAgentRegistration(
  { id, directory, registration }: MachineCard,
  { namespace, publicUrl }: LinkBase,
): AgentRegistrationResponse {
  const services = directory.webServices.filter(({ serviceEndpoint }) => isWebUrl(serviceEndpoint));
  return {
    type: REGISTRATION_TYPE,
    name: formatMachineName(id),
    description: namespace.card_description,
    image: imageOf(id, publicUrl),
    services: [
      ...services.map(({ serviceType, serviceEndpoint }) => ({ name: serviceType, endpoint: serviceEndpoint })),
      { name: 'DID', endpoint: formatMachineDid(id, namespace), version: 'v1' },
    ],
    x402Support: false,
    active: true,
    registrations: [{ agentId: String(id), agentRegistry: formatRegistration(registration) }],
    supportedTrust: [],
  };
}

/** Returns undefined for a machine without a score: its value would pass for a bad one. */
export function toAgentFeedback(
  { statement, domain, types, signature, signer }: SignedStatement,
  { registration }: MachineCard,
): object | undefined {
  if (statement.rating === 'NR' || statement.rating === 'Provisioned') return undefined;
  return {
    agentRegistry: formatRegistration(registration),
    agentId: statement.machineId,
    clientAddress: `eip155:${domain.chainId}:${signer}`,
    createdAt: new Date(statement.ratedAt * 1000).toISOString(),
    value: statement.scoreHundredths,
    valueDecimals: 2,
    tag1: statement.model,
    tag2: statement.rating,
    proof: { statement, domain, types, signature, signer },
  };
}
