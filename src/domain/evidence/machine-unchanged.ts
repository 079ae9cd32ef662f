/** Check that a machine has not changed since its challenge was issued, from fresh facts (evidence 8, step 13; decisions 1). */
import { findDidController } from '../machine/did-controller.ts';
import { Fault } from '../faults.ts';
import type { MachineSnapshot } from '../machine/machine-facts.ts';
import { unwrap, unwrapOptional } from '../read-result.ts';
import { judgeHome, type HomeOrdinals } from '../machine/machine-home.ts';
import type { ChallengeRecord } from './challenge-record.ts';

/** Fresh facts of one block. */
export interface CurrentMachine {
  readonly snapshot: Pick<
    MachineSnapshot,
    'id' | 'owner' | 'controller' | 'generalPaused' | 'relocating' | 'homeOrdinal'
  >;
  readonly ordinals: HomeOrdinals;
  readonly chainId: number;
}

/**
 * Throws, in this order, `MachineAbsent`, `MachineDeactivated`, `ControllerChanged`, `EvidenceMismatch`, `MachineRelocating`;
 * and `ChainUnreadable` where a fact is unreadable.
 */
export function requireUnchanged(challenge: ChallengeRecord, { snapshot, ordinals, chainId }: CurrentMachine): void {
  if (snapshot.id !== challenge.machineId) throw new Error('the facts belong to another machine');
  const owner = unwrapOptional(snapshot.owner);
  if (owner === undefined) throw new Fault('MachineAbsent', {}); // even while it relocates: there is no token here
  if (unwrap(snapshot.generalPaused)) throw new Fault('MachineDeactivated', {});
  if (findDidController(snapshot, owner) !== challenge.didController) throw new Fault('ControllerChanged', {});
  if (chainId !== challenge.chainId) throw new Fault('EvidenceMismatch', {});
  judgeHome(snapshot, ordinals);
}
