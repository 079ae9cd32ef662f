/** Personas with different KYB and chip attestations. */
import { keccak256, stringToHex } from 'viem';
import { SHORT_HISTORY } from './histories.ts';
import { adminCall } from '../main-chain/calls.ts';
import { served } from './persona.ts';
import type { Act, Persona, ServedExpectation } from './persona.ts';
import { blockTimestamp } from './planned-event.ts';

const ATTESTED_DAYS_AGO = 60;
const NEVER = 0n;

/** Returns a placeholder for the SHA-256 of a leaf certificate. */
function certificateHash(id: bigint): string {
  return keccak256(stringToHex(`certificate of ${id}`));
}

const ATTEST_KYB: Act = {
  daysAgo: ATTESTED_DAYS_AGO,
  calls: (deployment, { owner }) => [adminCall(deployment, 'attestationRegistry', 'attestKyb', [owner.address, NEVER])],
};

const ATTEST_CHIP: Act = {
  daysAgo: ATTESTED_DAYS_AGO,
  calls: (deployment, { id }) => [
    adminCall(deployment, 'attestationRegistry', 'attestChip', [id, NEVER, certificateHash(id)]),
  ],
};

/** Attests for thirty days, which have passed. */
const ATTEST_SHORT_KYB: Act = {
  daysAgo: ATTESTED_DAYS_AGO,
  calls: (deployment, { owner }, now) => [
    adminCall(deployment, 'attestationRegistry', 'attestKyb', [owner.address, BigInt(blockTimestamp(now, 30))]),
  ],
};

const REVOKE_CHIP: Act = {
  daysAgo: 20,
  calls: (deployment, { id }) => [adminCall(deployment, 'attestationRegistry', 'revokeChip', [id])],
};

function withRecords(
  name: string,
  about: string,
  acts: readonly Act[],
  topics: Pick<ServedExpectation, 'kyb' | 'chip'>,
): Persona {
  const { events, rating } = SHORT_HISTORY;
  return { name, about, home: 'main', activatedDaysAgo: 120, events, acts, expected: served(rating, topics) };
}

export const VERIFY_PERSONAS: readonly Persona[] = [
  withRecords('verified', 'Operator and chip are attested.', [ATTEST_KYB, ATTEST_CHIP], {
    kyb: 'verified',
    chip: 'verified',
  }),
  withRecords('chip-revoked', 'The chip was attested and later revoked.', [ATTEST_KYB, ATTEST_CHIP, REVOKE_CHIP], {
    kyb: 'verified',
    chip: 'revoked',
  }),
  withRecords(
    'kyb-expired',
    'The attestation of the operator expired; the chip was never attested.',
    [ATTEST_SHORT_KYB],
    {
      kyb: 'expired',
    },
  ),
];
