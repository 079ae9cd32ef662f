/** Personas with different chip attestations. */
import { attestChip, attestKyb } from './attestation-acts.ts';
import { ATTESTED_WEEKLY_PAYER, CHIP_EXPIRED_WEEKS, CHIP_REVOKED_WEEKS } from './histories.ts';
import type { History } from './histories.ts';
import { adminCall } from '../main-chain/calls.ts';
import { served } from './persona.ts';
import type { Act, AttestationStatus, Persona } from './persona.ts';

const ACTIVATED_DAYS_AGO = 150;

function revokeChip(daysAgo: number): Act {
  return {
    daysAgo,
    calls: (deployment, { id }) => [adminCall(deployment, 'attestationRegistry', 'revokeChip', [id])],
  };
}

/** Returns a persona with a verified operator. */
function withChip(
  name: string,
  about: string,
  { events, rating }: History,
  acts: readonly Act[],
  chip: AttestationStatus,
): Persona {
  return {
    ...{ name, about, home: 'main', activatedDaysAgo: ACTIVATED_DAYS_AGO, events },
    acts: [attestKyb(ACTIVATED_DAYS_AGO), ...acts],
    expected: served(rating, { kyb: 'verified', chip }),
  };
}

/** Acts of a chip that was revoked or expired on the day that the history names. */
const REVOKED_CHIP = CHIP_REVOKED_WEEKS.chip!;
const EXPIRED_CHIP = CHIP_EXPIRED_WEEKS.chip!;

export const VERIFY_PERSONAS: readonly Persona[] = [
  withChip(
    'verified',
    'Operator and chip are attested for its whole history.',
    ATTESTED_WEEKLY_PAYER,
    [attestChip(ACTIVATED_DAYS_AGO)],
    'verified',
  ),
  withChip(
    'chip-revoked',
    'The chip was attested, and revoked 40 days ago: later events are declared.',
    CHIP_REVOKED_WEEKS,
    [attestChip(REVOKED_CHIP.fromDay), revokeChip(REVOKED_CHIP.untilDay)],
    'revoked',
  ),
  withChip(
    'chip-expired',
    'The chip record expired 20 days ago: later events are declared.',
    CHIP_EXPIRED_WEEKS,
    [attestChip(EXPIRED_CHIP.fromDay, EXPIRED_CHIP.untilDay)],
    'expired',
  ),
];
