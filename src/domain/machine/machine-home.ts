/**
 * Home chain of a machine, and whether this deployment serves it (chain-evm 3.6, chain-svm 4, decisions 1).
 * Existence is judged here only.
 */
import { chainUnreadable, Fault } from '../faults.ts';
import { unwrap } from '../read-result.ts';
import type { MachineSnapshot } from './machine-facts.ts';

/**
 * `main`: a machine of the main chain. `alt`: the main chain names the alt chain. `unknown-here`: the main chain names no
 * home; only the alt chain knows whether it exists.
 */
export type MachineHome = 'main' | 'alt' | 'unknown-here';

export interface HomeOrdinals {
  readonly local: number;
  /** Undefined: no alt chain is configured. */
  readonly alt: number | undefined;
}

/** Returns whether the main chain has a token of the machine, or a home that its contracts recorded for it. */
export function isRegistered({ owner, homeOrdinal }: Pick<MachineSnapshot, 'owner' | 'homeOrdinal'>): boolean {
  return owner.state === 'present' || (homeOrdinal.state === 'present' && homeOrdinal.value !== 0);
}

/** Returns the home. Throws `MachineRelocating`, `MachineHomedElsewhere`, or `ChainUnreadable` for unreadable or contradictory facts. */
export function judgeHome(
  snapshot: Pick<MachineSnapshot, 'owner' | 'relocating' | 'homeOrdinal'>,
  ordinals: HomeOrdinals,
): MachineHome {
  if (snapshot.owner.state === 'unreadable') throw chainUnreadable('main', snapshot.owner.cause);
  if (unwrap(snapshot.relocating)) throw new Fault('MachineRelocating', {});
  const home = unwrap(snapshot.homeOrdinal);
  if (snapshot.owner.state === 'present') {
    if (home === ordinals.local) return 'main';
    throw chainUnreadable('main', 'contradiction');
  }
  if (home === 0 || home === ordinals.local) return 'unknown-here';
  if (home === ordinals.alt) return 'alt';
  throw new Fault('MachineHomedElsewhere', { ordinal: home });
}
