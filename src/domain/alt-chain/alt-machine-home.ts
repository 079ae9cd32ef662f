/**
 * Does a machine that the main chain does not hold live on the alt chain? (chain-svm 4.)
 * `judgeHome` has spoken first; this joins its answer with what the alt chain says. The main chain decides where it can, and
 * an alt chain that cannot be read is never an absent machine.
 */
import type { AltMachine } from './alt-machine-facts.ts';
import { Fault } from '../faults.ts';
import { unwrapOptional, type ReadResult } from '../read-result.ts';
import type { MachineHome } from '../machine/machine-home.ts';

export type AltExistence =
  | { readonly kind: 'present'; readonly machine: AltMachine }
  | { readonly kind: 'absent' }
  /**
   * The main chain names the alt chain, which has no such account: retired or left and not reported yet, or gone home between
   * the two reads. `judgeConfirmation` decides, from the main chain read once more.
   */
  | { readonly kind: 'unconfirmed' };

/** Joins the main chain's word with the machine's account. Throws `MachineRelocating`, `ChainUnreadable`. */
export function judgeAltMachine(home: Exclude<MachineHome, 'main'>, machine: ReadResult<AltMachine>): AltExistence {
  const account = unwrapOptional(machine, 'alt');
  if (account === undefined) return { kind: home === 'alt' ? 'unconfirmed' : 'absent' };
  if (account.relocating) throw new Fault('MachineRelocating', {});
  return { kind: 'present', machine: account };
}

/** What a home read again after an `unconfirmed` absence settles. `start-over` is tried once; twice is a contradiction. */
export function judgeConfirmation(homeReadAgain: MachineHome): 'absent' | 'start-over' {
  return homeReadAgain === 'alt' ? 'absent' : 'start-over';
}
