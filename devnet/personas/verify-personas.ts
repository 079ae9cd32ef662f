/** Personas with different KYB and chip attestations. */
import { attestChip, attestKyb } from './attestation-acts.ts';
import { SHORT_HISTORY } from './histories.ts';
import { adminCall } from '../main-chain/calls.ts';
import { served } from './persona.ts';
import type { Act, Persona, ServedExpectation } from './persona.ts';

const ATTESTED_DAYS_AGO = 60;
const ATTEST_KYB = attestKyb(ATTESTED_DAYS_AGO);
const ATTEST_CHIP = attestChip(ATTESTED_DAYS_AGO);
/** Attests for thirty days, which have passed. */
const ATTEST_SHORT_KYB = attestKyb(ATTESTED_DAYS_AGO, 30);

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
