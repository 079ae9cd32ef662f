/** Recently active machines of both chains, newest event first. */
import type { MachineId } from '../identifiers/identifiers.ts';

/** Maximum length of the list. */
export const MAX_ACTIVE_MACHINES = 20;

export interface ActiveMachine {
  readonly id: MachineId;
  /** Unix seconds of the block of its newest event. */
  readonly lastEventAt: number;
}

/** Merges both lists into one of at most `limit`; a machine in both appears once, with its newest event. */
export function mergeActive(lists: readonly (readonly ActiveMachine[])[], limit: number): readonly ActiveMachine[] {
  const newest = new Map<MachineId, ActiveMachine>();
  for (const machine of lists.flat()) {
    if (machine.lastEventAt > (newest.get(machine.id)?.lastEventAt ?? -1)) newest.set(machine.id, machine);
  }
  return [...newest.values()].sort(compareActive).slice(0, limit);
}

function compareActive(a: ActiveMachine, b: ActiveMachine): number {
  return b.lastEventAt - a.lastEventAt || (a.id < b.id ? -1 : 1);
}
