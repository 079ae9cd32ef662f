/** Maps a chip challenge and a receipt to their responses (interface, Chip challenge): strings only. */
import type { IssuedChallenge } from '../../actions/chip.ts';
import type { Receipt } from '../../domain/evidence/evidence-record.ts';
import { formatAddress, formatMachineDid } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { ChipChallengeResponse, ChipReceiptResponse } from './response-types.ts';

export function toChallenge(challenge: IssuedChallenge, namespace: Namespace): ChipChallengeResponse {
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

/** Returns the receipt as it is: the domain writes its members in the order of the response. */
export function toChipReceipt(receipt: Receipt): ChipReceiptResponse {
  return receipt;
}
