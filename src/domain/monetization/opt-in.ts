/**
 * Conditions of an opt-in (http-facts 9.4 and 9.5, chain-evm 3.4 and 3.5, decisions 1): the machine is bonded and, on the main chain,
 * neither deactivated nor paused. They do not apply to an opt-out: a machine can always exit.
 */
import { findStop, isReportedAvailable } from '../machine/availability.ts';
import { judgeBond } from '../machine/bond.ts';
import { chainUnreadable, Fault, type DecisionRefusal } from '../faults.ts';
import { unwrap } from '../read-result.ts';
import type { DecidingMachine } from './deciding-machine.ts';

/** Throws `ChainUnreadable` when a fact is unreadable, or when the chain reports a machine as available that its own flags stop. */
export function judgeOptIn(machine: DecidingMachine): DecisionRefusal | undefined {
  if (judgeBond(unwrap(machine.snapshot.subscriptionStatus)) === 'unbonded') return new Fault('MachineNotBonded', {});
  if (machine.home.chain === 'alt') return undefined;
  const { snapshot, globals } = machine;
  const stop = findStop(snapshot, globals);
  if (stop === undefined) return undefined;
  if (isReportedAvailable(snapshot)) throw chainUnreadable('main', 'contradiction');
  return stop === 'deactivated' ? new Fault('MachineDeactivated', {}) : new Fault('MachinePaused', {});
}
