/**
 * Merges new operations into machines' histories. Later ones are appended. One that belongs before or beside known ones
 * in its slot causes the machine's whole history to be renumbered; a known one changes nothing. A history that is too
 * long for that is marked instead.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type {
  AltEventStore,
  AltMachineProblem,
  AltMachineState,
  AltMachineWrite,
  FoundOperation,
} from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import { numberOperations, emptyMachineState } from './event-numbering.ts';
import { listUnorderedSlots, sortOperations } from './event-order.ts';
import { AltHistoryRejected } from './history-rejected.ts';
import type { SharedBackoff } from './shared-backoff.ts';

export interface AltEventMergeOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly backoff: SharedBackoff;
}

/** Operations of one machine that are merged as a whole: about 200 MB. */
export const MAX_MERGED_OPERATIONS = 100_000;

/**
 * Returns the writes, to be stored under the revision of the walk that was read before. Throws `ChainUnreadable`,
 * `AltHistoryRejected`.
 */
export type MergeOperations = (
  found: readonly FoundOperation[],
  signal: AbortSignal,
) => Promise<readonly AltMachineWrite[]>;

export function createAltEventMerge({ history, store, backoff }: AltEventMergeOptions): MergeOperations {
  return async (found, signal) => {
    const byMachine = Map.groupBy(found, ({ change }) => change.machineId);
    const states = await readStates([...byMachine.keys()]);
    const positions = new Map<number, ReadonlyMap<string, number>>();
    const writes: AltMachineWrite[] = [];
    for (const [id, operations] of byMachine) {
      const write = await mergeMachine(states.get(id) ?? emptyMachineState(id), operations);
      if (write !== undefined) writes.push(write);
    }
    return writes;

    async function mergeMachine(
      state: AltMachineState,
      operations: readonly FoundOperation[],
    ): Promise<AltMachineWrite | undefined> {
      if (state.operationCount === 0 || operations.every(({ slot }) => slot > state.lastSlot)) {
        const start = { ...state, problem: withoutLastEvent(state) };
        return { ...numberOperations(start, sortOperations(await withPositions(operations))), isRewritten: false };
      }
      const signatures = new Set(await store.listAltSignatures(state.id));
      const further = operations.filter(({ signature }) => !signatures.has(signature));
      if (further.length === 0) return undefined;
      if (state.operationCount + further.length > MAX_MERGED_OPERATIONS)
        return { state: { ...state, problem: 'numbering' }, isRewritten: false, operations: [] };
      const known = await store.listAltOperations(state.id);
      const all = sortOperations(await withPositions([...known, ...further]));
      const start = { ...emptyMachineState(state.id), revision: state.revision + 1 };
      const numbered = numberOperations(start, all);
      const problem = numbered.state.problem ?? (state.problem === 'numbering' ? undefined : withoutLastEvent(state));
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
      const signatures = await backoff.run(() => history.readBlockSignatures(slot), signal);
      return new Map(signatures.map((signature, position) => [signature, position]));
    }
  };

  async function readStates(ids: readonly MachineId[]): Promise<ReadonlyMap<MachineId, AltMachineState>> {
    return new Map((await store.readAltMachines(ids)).map((state) => [state.id, state]));
  }
}

/** Turns a wrong last event into wrong counts: after further operations, requests compare another last event. */
function withoutLastEvent({ problem }: AltMachineState): AltMachineProblem | undefined {
  return problem === 'last-event' ? 'counts' : problem;
}
