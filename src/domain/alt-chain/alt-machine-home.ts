/**
 * Existence on the alt chain of a machine that the main chain does not hold (chain-svm 4).
 * Joins the result of `judgeHome` with the facts of the alt chain. The main chain decides where it can; an unreadable alt chain never
 * means an absent machine.
 */
import type { AltMachine } from './alt-machine-facts.ts';
import { Fault } from '../faults.ts';
import { unwrapOptional, type ReadResult } from '../read-result.ts';
import type { MachineHome } from '../machine/machine-home.ts';

export type AltExistence =
  | { readonly kind: 'present'; readonly machine: AltMachine }
  | { readonly kind: 'absent' }
  /**
   * The main chain names the alt chain, which has no such account: the machine was retired or left and this is not reported yet, or
   * it returned between the two reads. `judgeConfirmation` decides from another read of the main chain.
   */
  | { readonly kind: 'unconfirmed' };

/** Joins the home on the main chain with the machine's account. Throws `MachineRelocating`, `ChainUnreadable`. */
export function judgeAltMachine(home: Exclude<MachineHome, 'main'>, machine: ReadResult<AltMachine>): AltExistence {
  const account = unwrapOptional(machine, 'alt');
  if (account === undefined) return { kind: home === 'alt' ? 'unconfirmed' : 'absent' };
  if (account.relocating) throw new Fault('MachineRelocating', {});
  return { kind: 'present', machine: account };
}

/** Decides an `unconfirmed` absence from a second read of the home. `start-over` is allowed once; twice is a contradiction. */
export function judgeConfirmation(confirmedHome: MachineHome): 'absent' | 'start-over' {
  return confirmedHome === 'alt' ? 'absent' : 'start-over';
}
