/** How does a chip challenge look on the wire? (interface, Chip challenge.) Nine texts; a receipt is told as it is. */
import type { IssuedChallenge } from '../../actions/chip.ts';
import { formatAddress, formatMachineDid } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';

export function toChallenge(challenge: IssuedChallenge, namespace: Namespace) {
  const { chainId, didController, expiresAt, machineId, nonce } = challenge;
  return {
    chainId: String(chainId),
    didController: formatAddress(didController),
    expiresAt: String(expiresAt),
    machineDid: formatMachineDid(machineId, namespace),
    machineId: String(machineId),
    nonce,
    profile: namespace.chip_profile,
    protocol: namespace.protocol,
    verifier: namespace.verifier,
  };
}
