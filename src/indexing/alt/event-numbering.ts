/**
 * Which index has an event of the alt chain? (chain-svm 6, "Numbering".) Indexes count from 0 in each incarnation; a log names them, and
 * where none does they follow from the order. What contradicts itself or leaves a gap is marked, never smoothed over.
 */
import type { EventChange } from '../../domain/alt-chain/event-operation.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { AltMachineState, FoundOperation, NumberedOperation } from '../../ports/alt-store.ts';

type Draft = { -readonly [K in keyof AltMachineState]: AltMachineState[K] };

export function unknownMachine(id: MachineId): AltMachineState {
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

/** Gives the further operations of one machine, which are in order, their places after what is known of it. */
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
  // An import makes the log; where one is known still, its close was missed.
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
  const isTimely = blockTime !== undefined && blockTime >= (draft.newestBlockTime ?? 0);
  if (!isNext || !isTimely) draft.problem = 'numbering';
  if (isTaken || blockTime === undefined) return undefined;
  draft.eventCount += 1;
  draft.nextIndex = Number(index) + 1;
  draft.newestBlockTime = Math.max(blockTime, draft.newestBlockTime ?? 0);
  return Number(index);
}

/** What the log says, or what the kind of the change fixes. */
function namedIndex(change: EventChange): bigint | undefined {
  switch (change.kind) {
    case 'submitted':
      return change.eventIndex;
    case 'imported':
      return 0n;
    // Whether the count of an adoption's log includes it is not published.
    case 'adopted':
    case 'closed':
      return undefined;
  }
}
