/**
 * Repairs an incomplete history of a machine (chain-svm 6, "Proof against gaps"). It lists the transactions that
 * mention the machine's event log account down to the first slot, and reads and merges the unknown ones. It also
 * retries parked transactions.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { AltEventStore, ListedTransaction, ParkedTransaction } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { MergeOperations } from './event-merge.ts';
import { checkPage, toListed } from './signature-pager.ts';
import type { SharedBackoff } from './shared-backoff.ts';
import type { TransactionReader } from './transaction-reader.ts';

export interface HistoryRepairOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly backoff: SharedBackoff;
  readonly transactions: TransactionReader;
  readonly merge: MergeOperations;
  readonly clock: Clock;
  readonly firstSlot: number;
}

export interface HistoryRepair {
  /** Merges the machine's listed transactions up to `done` that the index lacks. */
  repairMachine(id: MachineId, signal: AbortSignal): Promise<void>;
  /** Retries parked transactions that are due. */
  retryParked(signal: AbortSignal): Promise<void>;
}

const TRANSACTIONS_PER_BATCH = 1_000;
const PARKED_PER_BATCH = 100;
const FIRST_PAUSE_MILLISECONDS = 60_000;
const MAX_DOUBLINGS = 6;
const LAST_PAUSE_MILLISECONDS = FIRST_PAUSE_MILLISECONDS * 2 ** MAX_DOUBLINGS;

/** Parks an unreadable transaction; the delay before the next attempt doubles up to about an hour. */
export function park(row: ListedTransaction, attempts: number, nowMilliseconds: number): ParkedTransaction {
  const pause = FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(attempts - 1, MAX_DOUBLINGS);
  const { signature, slot, blockTime } = row;
  return { signature, slot, blockTime, attempts, retryAtMilliseconds: nowMilliseconds + pause };
}

export function createHistoryRepair(options: HistoryRepairOptions): HistoryRepair {
  const { history, store, backoff, transactions, merge, clock, firstSlot } = options;

  async function walkMachine(id: MachineId, signal: AbortSignal): Promise<void> {
    const { done } = await store.readAltWalk();
    if (done === undefined) return;
    const missing = await listMissing(id, done.slot, signal);
    for (let from = 0; from < missing.length && !signal.aborted; from += TRANSACTIONS_PER_BATCH) {
      const rows = missing.slice(from, from + TRANSACTIONS_PER_BATCH);
      await mergeRows(rows, () => 1, signal);
    }
  }

  /** Lists, oldest first, successful transactions up to a slot that have no known operation of the machine. */
  async function listMissing(id: MachineId, throughSlot: number, signal: AbortSignal): Promise<ListedTransaction[]> {
    const known = new Set((await store.listAltOperations(id)).map(({ signature }) => signature));
    const missing = new Map<string, ListedTransaction>();
    let before: { readonly signature: string; readonly slot: number } | undefined;
    while (!signal.aborted) {
      const page = await backoff.run(() => history.listSignatures(id, before?.signature), signal);
      checkPage(page, before);
      for (const row of page) {
        const isWanted = !row.hasFailed && row.slot <= throughSlot && row.slot >= firstSlot;
        if (isWanted && !known.has(row.signature)) missing.set(row.signature, toListed(row));
      }
      before = page.at(-1);
      if (before === undefined || before.slot < firstSlot) break;
    }
    return [...missing.values()].toReversed();
  }

  async function retryParked(signal: AbortSignal): Promise<void> {
    const now = clock.nowMilliseconds();
    const rows = await store.listParked(now, PARKED_PER_BATCH, now + LAST_PAUSE_MILLISECONDS);
    const attempts = new Map(rows.map((row) => [row.signature, row.attempts]));
    if (rows.length > 0) await mergeRows(rows, ({ signature }) => attempts.get(signature)! + 1, signal);
  }

  async function mergeRows(
    rows: readonly ListedTransaction[],
    attemptsOf: (row: ListedTransaction) => number,
    signal: AbortSignal,
  ): Promise<void> {
    transactions.clear();
    const read = await transactions.read(rows, signal);
    if (read === undefined) return;
    const { revision, ...walk } = await store.readAltWalk();
    const machines = await merge(read.operations, signal);
    const unreadable = new Set(read.unreadable.map(({ signature }) => signature));
    const now = clock.nowMilliseconds();
    await store.writeAltIndex(revision, {
      walk,
      machines,
      parked: read.unreadable.map((row) => park(row, attemptsOf(row), now)),
      unparked: rows.map(({ signature }) => signature).filter((signature) => !unreadable.has(signature)),
    });
    transactions.clear();
  }

  return { repairMachine: walkMachine, retryParked };
}
