/**
 * What becomes of machines' histories when operations are found? Later ones are added at the end. One that belongs before what is known, or
 * beside it in its slot, has the machine's whole history numbered anew; one that is known already changes nothing.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { AltEventStore, AltMachineState, AltMachineWrite, FoundOperation } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import { numberOperations, unknownMachine } from './event-numbering.ts';
import { listUnorderedSlots, sortOperations } from './event-order.ts';
import { AltHistoryRejected } from './history-rejected.ts';
import type { SharedBackoff } from './shared-backoff.ts';

export interface AltEventMergeOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly patience: SharedBackoff;
}

/** To be written under the revision of the walk that was read before. Throws `ChainUnreadable`, `AltHistoryRejected`. */
export type MergeOperations = (
  found: readonly FoundOperation[],
  signal: AbortSignal,
) => Promise<readonly AltMachineWrite[]>;

export function createAltEventMerge({ history, store, patience }: AltEventMergeOptions): MergeOperations {
  return async (found, signal) => {
    const byMachine = Map.groupBy(found, ({ change }) => change.machineId);
    const states = await readStates([...byMachine.keys()]);
    const positions = new Map<number, ReadonlyMap<string, number>>();
    const writes: AltMachineWrite[] = [];
    for (const [id, operations] of byMachine) {
      const write = await join(states.get(id) ?? unknownMachine(id), operations);
      if (write !== undefined) writes.push(write);
    }
    return writes;

    async function join(
      state: AltMachineState,
      given: readonly FoundOperation[],
    ): Promise<AltMachineWrite | undefined> {
      if (state.operationCount === 0 || given.every(({ slot }) => slot > state.lastSlot)) {
        return { ...numberOperations(state, sortOperations(await withPositions(given))), isRewritten: false };
      }
      const known = await store.listAltOperations(state.id);
      const isKnown = new Set(known.map(nameOf));
      const further = given.filter((operation) => !isKnown.has(nameOf(operation)));
      if (further.length === 0) return undefined;
      const all = sortOperations(await withPositions([...known, ...further]));
      const start = { ...unknownMachine(state.id), revision: state.revision + 1 };
      const numbered = numberOperations(start, all);
      const problem = numbered.state.problem ?? (state.problem === 'counts' ? 'counts' : undefined);
      return { ...numbered, state: { ...numbered.state, problem }, isRewritten: true };
    }

    async function withPositions(operations: readonly FoundOperation[]): Promise<readonly FoundOperation[]> {
      const slots = new Set(listUnorderedSlots(operations));
      if (slots.size === 0) return operations;
      for (const slot of slots) if (!positions.has(slot)) positions.set(slot, await readPositions(slot));
      return operations.map((operation) => {
        if (!slots.has(operation.slot)) return operation;
        const position = positions.get(operation.slot)!.get(operation.signature);
        if (position === undefined) throw new AltHistoryRejected('not-in-block');
        return { ...operation, position };
      });
    }

    async function readPositions(slot: number): Promise<ReadonlyMap<string, number>> {
      const signatures = await patience.ask(() => history.readBlockSignatures(slot), signal);
      return new Map(signatures.map((signature, position) => [signature, position]));
    }
  };

  async function readStates(ids: readonly MachineId[]): Promise<ReadonlyMap<MachineId, AltMachineState>> {
    return new Map((await store.readAltMachines(ids)).map((state) => [state.id, state]));
  }
}

function nameOf({ signature, order }: FoundOperation): string {
  return `${signature} ${order}`;
}
