/** Acts that attest the operator and the chip of a machine, without expiry unless given. */
import { keccak256, stringToHex } from 'viem';
import { adminCall } from '../main-chain/calls.ts';
import type { Act } from './persona.ts';
import { blockTimestamp } from './planned-event.ts';

const NEVER = 0n;

/** Returns a placeholder for the SHA-256 of a leaf certificate. */
function certificateHash(id: bigint): string {
  return keccak256(stringToHex(`certificate of ${id}`));
}

/** Attests the operator, which is the owner; until `untilDaysAgo` when given. */
export function attestKyb(daysAgo: number, untilDaysAgo?: number): Act {
  return {
    daysAgo,
    calls: (deployment, { owner }, now) => {
      const expiresAt = untilDaysAgo === undefined ? NEVER : BigInt(blockTimestamp(now, untilDaysAgo));
      return [adminCall(deployment, 'attestationRegistry', 'attestKyb', [owner.address, expiresAt])];
    },
  };
}

export function attestChip(daysAgo: number): Act {
  return {
    daysAgo,
    calls: (deployment, { id }) => [
      adminCall(deployment, 'attestationRegistry', 'attestChip', [id, NEVER, certificateHash(id)]),
    ],
  };
}
