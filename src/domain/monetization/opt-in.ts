/**
 * May a machine be opted in? (http-facts 9.4 and 9.5, chain-evm 3.4 and 3.5, decisions 1.) Bonded, on either chain; on the main
 * chain neither deactivated nor paused. Opting out is never asked here: a machine can always exit.
 */
import { findStop, isCalledAvailable } from '../machine/availability.ts';
import { judgeBond } from '../machine/bond.ts';
import { chainUnreadable, Fault } from '../faults.ts';
import { unwrap } from '../read-result.ts';
import type { DecidingMachine } from './deciding-machine.ts';
import type { DecisionRefusal } from './decision-refusal.ts';

/** Throws `ChainUnreadable` where a fact is unreadable, or where the chain calls available what its own flags stop. */
export function judgeOptIn(machine: DecidingMachine): DecisionRefusal | undefined {
  if (judgeBond(unwrap(machine.snapshot.subscriptionStatus)) === 'unbonded') return new Fault('MachineNotBonded', {});
  if (machine.home.chain === 'alt') return undefined;
  const { snapshot, globals } = machine;
  const stop = findStop(snapshot, globals);
  if (stop === undefined) return undefined;
  if (isCalledAvailable(snapshot)) throw chainUnreadable('main', 'contradiction');
  return stop === 'deactivated' ? new Fault('MachineDeactivated', {}) : new Fault('MachinePaused', {});
}
