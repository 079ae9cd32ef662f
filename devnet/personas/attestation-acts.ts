/** Acts that attest the operator and the chip of a machine, without expiry unless given. */
import { keccak256, stringToHex } from 'viem';
import type { Address } from 'viem';
import { adminCall } from '../main-chain/calls.ts';
import type { Call } from '../main-chain/chain-writer.ts';
import type { Deployment } from '../main-chain/deploy.ts';
import type { Act } from './persona.ts';
import { blockTimestamp } from './planned-event.ts';

const NEVER = 0n;

/** Returns a placeholder for a hash that only real evidence has. */
function placeholder(text: string): string {
  return keccak256(stringToHex(text));
}

/** Attests the operator, which is the owner; until `untilDaysAgo` when given. */
export function attestKyb(daysAgo: number, untilDaysAgo?: number): Act {
  return {
    daysAgo,
    calls: (deployment, { owner }, now) => [callAttestKyb(deployment, owner.address, toExpiry(now, untilDaysAgo))],
  };
}

function toExpiry(now: number, daysAgo: number | undefined): bigint {
  return daysAgo === undefined ? NEVER : BigInt(blockTimestamp(now, daysAgo));
}

/** Returns the call that attests an operator. */
export function callAttestKyb(deployment: Deployment, operator: Address, expiresAt = NEVER): Call {
  const evidenceHash = placeholder(`KYB of ${operator}`);
  return adminCall(deployment, 'attestationRegistry', 'attestKyb', [operator, expiresAt, evidenceHash]);
}

/** Attests the chip; until `untilDaysAgo` when given. */
export function attestChip(daysAgo: number, untilDaysAgo?: number): Act {
  return {
    daysAgo,
    calls: (deployment, { id }, now) => [
      adminCall(deployment, 'attestationRegistry', 'attestChip', [
        ...[id, toExpiry(now, untilDaysAgo), placeholder(`certificate of ${id}`)],
        ...[placeholder(`chip of ${id}`), placeholder(`evidence of ${id}`)],
      ]),
    ],
  };
}
