/** Is the machine still what it was when the challenge was issued? (evidence 8, step 13; decisions 1.) From facts read anew. */
import { findDidController } from '../machine/did-controller.ts';
import { Fault } from '../faults.ts';
import type { MachineSnapshot } from '../machine/machine-facts.ts';
import { unwrap, unwrapOptional } from '../read-result.ts';
import { judgeHome, type HomeOrdinals } from '../machine/machine-home.ts';
import type { ChallengeRecord } from './challenge-record.ts';

/** Facts of one block. */
export interface CurrentMachine {
  readonly snapshot: Pick<
    MachineSnapshot,
    'id' | 'owner' | 'controller' | 'generalPaused' | 'relocating' | 'homeOrdinal'
  >;
  readonly ordinals: HomeOrdinals;
  readonly chainId: number;
}

/** Throws `MachineAbsent`, `MachineRelocating`, `ChainUnreadable`, or a fault of `EvidenceRefusalKind`, in the order of the specification. */
export function requireUnchanged(challenge: ChallengeRecord, { snapshot, ordinals, chainId }: CurrentMachine): void {
  if (snapshot.id !== challenge.machineId) throw new Error('the facts of another machine');
  const owner = unwrapOptional(snapshot.owner);
  if (owner === undefined) throw new Fault('MachineAbsent', {}); // relocating or not: there is no token here
  if (unwrap(snapshot.generalPaused)) throw new Fault('MachineDeactivated', {});
  if (findDidController(snapshot, owner) !== challenge.didController) throw new Fault('ControllerChanged', {});
  if (chainId !== challenge.chainId) throw new Fault('EvidenceMismatch', {});
  judgeHome(snapshot, ordinals);
}
