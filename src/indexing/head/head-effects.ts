/** Cache invalidation derived from the logs of new blocks (chain-evm 6). */
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { ChainLog, HeadStep } from '../../ports/main-chain.ts';

export type HeadEffects = Pick<HeadStep, 'touched' | 'deployment' | 'checks'>;

/** Invalidates everything. Used when the changes are unknown, because a reorg may even undo an upgrade. */
export const ALL_EFFECTS: HeadEffects = { touched: 'all', deployment: true, checks: true };

export function sumEffects(logs: readonly ChainLog[]): HeadEffects {
  const machines = new Set<MachineId>();
  const kybOperators = new Set<Address>();
  const holders = new Set<Address>();
  let isAll = false;
  let deployment = false;
  let checks = false;
  for (const { effect, registry } of logs) {
    if (registry?.kind === 'transfer') {
      if (registry.from !== undefined) holders.add(registry.from);
      if (registry.to !== undefined) holders.add(registry.to);
    }
    switch (effect.kind) {
      case 'machines':
        for (const id of effect.ids) machines.add(id);
        break;
      case 'operator-kyb':
        kybOperators.add(effect.operator);
        break;
      case 'checks':
        // Other code may return other facts.
        checks = deployment = isAll = true;
        break;
      case 'deployment':
        deployment = isAll = true;
        break;
      case 'all':
      case 'unknown':
        isAll = true;
        break;
      case 'nothing':
        break;
    }
  }
  return { touched: isAll ? 'all' : { machines, kybOperators, holders }, deployment, checks };
}

export function countUnknown(logs: readonly ChainLog[]): number {
  return logs.filter(({ effect }) => effect.kind === 'unknown').length;
}
