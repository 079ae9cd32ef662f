/**
 * Indexes of alt-chain events (chain-svm 6, "Numbering"). They count from 0 in each incarnation. A log names its index;
 * without a log it follows from the order. Contradictions and gaps are marked and never smoothed over.
 */
import type { EventChange } from '../../domain/alt-chain/event-operation.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { AltMachineState, FoundOperation, NumberedOperation } from '../../ports/alt-store.ts';

type Draft = { -readonly [K in keyof AltMachineState]: AltMachineState[K] };

export function emptyMachineState(id: MachineId): AltMachineState {
  return {
    id,
    revision: 0,
    incarnation: 0,
    eventCount: 0,
    nextIndex: 0,
    priorEventCount: 0n,
    operationCount: 0,
    lastSlot: 0,
    newestBlockTime: undefined,
    problem: undefined,
  };
}

/** Assigns positions to further operations of one machine, given in order, after the known ones. */
export function numberOperations(
  known: AltMachineState,
  found: readonly FoundOperation[],
): { readonly state: AltMachineState; readonly operations: readonly NumberedOperation[] } {
  const draft: Draft = { ...known };
  const operations = found.map((operation) => {
    const { incarnation, eventIndex } = place(draft, operation);
    draft.lastSlot = Math.max(draft.lastSlot, operation.slot);
    return { ...operation, seq: draft.operationCount++, incarnation, eventIndex };
  });
  return { state: draft, operations };
}

function place(draft: Draft, operation: FoundOperation): Pick<NumberedOperation, 'incarnation' | 'eventIndex'> {
  const { change } = operation;
  if (change.kind === 'closed') {
    const { incarnation } = draft;
    beginIncarnation(draft);
    return { incarnation, eventIndex: undefined };
  }
  // An import creates the log; if one is known already, its close was missed.
  if (change.kind === 'imported' && (draft.nextIndex > 0 || draft.priorEventCount > 0n)) beginIncarnation(draft);
  if (change.kind !== 'submitted') draft.priorEventCount = change.priorEventCount;
  const eventIndex = change.record === undefined ? undefined : takeIndex(draft, operation);
  return { incarnation: draft.incarnation, eventIndex };
}

function beginIncarnation(draft: Draft): void {
  draft.incarnation += 1;
  draft.revision += 1;
  draft.eventCount = 0;
  draft.nextIndex = 0;
  draft.priorEventCount = 0n;
  draft.newestBlockTime = undefined;
  draft.problem = undefined;
}

function takeIndex(draft: Draft, { change, blockTime }: FoundOperation): number | undefined {
  const index = namedIndex(change) ?? BigInt(draft.nextIndex);
  const isNext = index === BigInt(draft.nextIndex);
  const isTaken = index < BigInt(draft.nextIndex) || index >= BigInt(Number.MAX_SAFE_INTEGER);
  const isInTimeOrder = blockTime !== undefined && blockTime >= (draft.newestBlockTime ?? 0);
  if (!isNext || !isInTimeOrder) draft.problem = 'numbering';
  if (isTaken || blockTime === undefined) return undefined;
  draft.eventCount += 1;
  draft.nextIndex = Number(index) + 1;
  draft.newestBlockTime = Math.max(blockTime, draft.newestBlockTime ?? 0);
  return Number(index);
}

/** Returns the index that the log names, or that the kind of change implies. */
function namedIndex(change: EventChange): bigint | undefined {
  switch (change.kind) {
    case 'submitted':
      return change.eventIndex;
    case 'imported':
      return 0n;
    // It is not published whether the count of an adoption's log includes it.
    case 'adopted':
    case 'closed':
      return undefined;
  }
}
