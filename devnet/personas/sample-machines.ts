/** Sample machines of the main chain: all personas of configuration.md 3, in the order of its list, then the fleet. */
import { BOND_PERSONAS } from './bond-personas.ts';
import { listFleet } from './fleet-personas.ts';
import { PROFILE_PERSONAS } from './profile-personas.ts';
import { PAID_PERSONAS } from './paid-personas.ts';
import { SOLD_PERSONAS } from './sold-personas.ts';
import { RATED_PERSONAS } from './rated-personas.ts';
import { STATE_PERSONAS } from './state-personas.ts';
import { VERIFY_PERSONAS } from './verify-personas.ts';
import { toPersonaMachine } from './persona.ts';
import type { Persona, PersonaMachine } from './persona.ts';

export interface SampleMachine {
  readonly persona: Persona;
  readonly machine: PersonaMachine;
}

/** Returns the named personas and `fleetSize` machines of the fleet. */
export function listSampleMachines(fleetSize: number): readonly SampleMachine[] {
  const personas = [
    ...RATED_PERSONAS,
    ...BOND_PERSONAS,
    ...STATE_PERSONAS,
    ...PROFILE_PERSONAS,
    ...VERIFY_PERSONAS,
    ...PAID_PERSONAS,
    ...SOLD_PERSONAS,
    ...listFleet(fleetSize),
  ];
  return personas.map((persona) => ({ persona, machine: toPersonaMachine(persona) }));
}
