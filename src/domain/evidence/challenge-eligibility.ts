/** Eligibility of a machine for a challenge, judged from facts of one block (evidence 4, step 9; decisions 1). */
import { findDidController } from '../machine/did-controller.ts';
import { Fault } from '../faults.ts';
import type { Address } from '../identifiers/identifiers.ts';
import type { MachineSnapshot } from '../machine/machine-facts.ts';
import { unwrap, unwrapOptional } from '../read-result.ts';
import { judgeHome } from '../machine/machine-home.ts';

/** Returns who must sign. Throws `MachineAbsent`, then `MachineRelocating` and `ChainUnreadable`, then `MachineDeactivated`. */
export function requireChallengeEligible(
  snapshot: Pick<MachineSnapshot, 'owner' | 'controller' | 'generalPaused' | 'relocating' | 'homeOrdinal'>,
  { local }: { readonly local: number },
): { readonly didController: Address } {
  const owner = unwrapOptional(snapshot.owner);
  if (owner === undefined) throw new Fault('MachineAbsent', {}); // even if it lives elsewhere: there is no token here
  judgeHome(snapshot, { local, alt: undefined });
  const didController = findDidController(snapshot, owner);
  if (unwrap(snapshot.generalPaused)) throw new Fault('MachineDeactivated', {});
  return { didController };
}
