/**
 * Execution order of a machine's operations: by slot, by position of the transaction in its block, and by order inside
 * the transaction. Signature lists do not guarantee the order inside a slot, so the block is read when the logs do not
 * give it (chain-svm 6).
 */
import type { FoundOperation } from '../../ports/alt-store.ts';

/** Lists the slots whose block must be read to order one machine's operations. */
export function listUnorderedSlots(operations: readonly FoundOperation[]): number[] {
  const bySlot = Map.groupBy(operations, ({ slot }) => slot);
  return [...bySlot].filter(([, found]) => isUnordered(found)).map(([slot]) => slot);
}

/** Sorts one machine's operations; every slot that `listUnorderedSlots` returns must have positions. */
export function sortOperations(operations: readonly FoundOperation[]): FoundOperation[] {
  return operations.toSorted((a, b) => a.slot - b.slot || compareInSlot(a, b));
}

function isUnordered(found: readonly FoundOperation[]): boolean {
  const transactions = new Set(found.map(({ signature }) => signature));
  if (transactions.size === 1) return false;
  return found.some((operation) => operation.position === undefined) && !found.every(hasNamedIndex);
}

function hasNamedIndex({ change }: FoundOperation): boolean {
  return change.kind === 'submitted' && change.eventIndex !== undefined;
}

function compareInSlot(a: FoundOperation, b: FoundOperation): number {
  if (a.signature === b.signature) return a.order - b.order;
  if (a.position !== undefined && b.position !== undefined) return a.position - b.position;
  return compareBigints(namedIndexOf(a), namedIndexOf(b));
}

function namedIndexOf({ change }: FoundOperation): bigint {
  return change.kind === 'submitted' ? (change.eventIndex ?? 0n) : 0n;
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
