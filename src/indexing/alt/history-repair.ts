/**
 * What if something of a machine's history is missing? Then its own event log account is asked for the transactions that mention it, down to
 * the first slot, and what is not known yet is read and joined (chain-svm 6, "Proof against gaps"). Parked transactions come here again too.
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
  readonly patience: SharedBackoff;
  readonly transactions: TransactionReader;
  readonly join: MergeOperations;
  readonly clock: Clock;
  readonly firstSlot: number;
}

export interface HistoryRepair {
  /** Joins what the machine's own list has and the index has not, up to `done`. */
  walkMachine(id: MachineId, signal: AbortSignal): Promise<void>;
  /** Asks again for parked transactions whose time has come. */
  retryParked(signal: AbortSignal): Promise<void>;
}

const TRANSACTIONS_AT_ONCE = 1_000;
const PARKED_AT_ONCE = 100;
const FIRST_PAUSE_MILLISECONDS = 60_000;
const MAX_DOUBLINGS = 6;

/** A transaction that could not be read once more; the pause before the next time doubles up to about an hour. */
export function park(row: ListedTransaction, attempts: number, nowMilliseconds: number): ParkedTransaction {
  const pause = FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(attempts - 1, MAX_DOUBLINGS);
  const { signature, slot, blockTime } = row;
  return { signature, slot, blockTime, attempts, retryAtMilliseconds: nowMilliseconds + pause };
}

export function createHistoryRepair(options: HistoryRepairOptions): HistoryRepair {
  const { history, store, patience, transactions, join, clock, firstSlot } = options;

  async function walkMachine(id: MachineId, signal: AbortSignal): Promise<void> {
    const { done } = await store.readAltWalk();
    if (done === undefined) return;
    const missing = await listMissing(id, done.slot, signal);
    for (let from = 0; from < missing.length && !signal.aborted; from += TRANSACTIONS_AT_ONCE) {
      const rows = missing.slice(from, from + TRANSACTIONS_AT_ONCE);
      await joinRows(rows, () => 1, signal);
    }
  }

  /** Oldest first: successful transactions up to a slot of which no operation of the machine is known. */
  async function listMissing(id: MachineId, throughSlot: number, signal: AbortSignal): Promise<ListedTransaction[]> {
    const known = new Set((await store.listAltOperations(id)).map(({ signature }) => signature));
    const missing = new Map<string, ListedTransaction>();
    let before: { readonly signature: string; readonly slot: number } | undefined;
    while (!signal.aborted) {
      const page = await patience.ask(() => history.listSignatures(id, before?.signature), signal);
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
    const rows = await store.listParked(clock.nowMilliseconds(), PARKED_AT_ONCE);
    const attempts = new Map(rows.map((row) => [row.signature, row.attempts]));
    if (rows.length > 0) await joinRows(rows, ({ signature }) => attempts.get(signature)! + 1, signal);
  }

  async function joinRows(
    rows: readonly ListedTransaction[],
    attemptsOf: (row: ListedTransaction) => number,
    signal: AbortSignal,
  ): Promise<void> {
    transactions.forget();
    const read = await transactions.read(rows, signal);
    if (read === undefined) return;
    const { revision, ...walk } = await store.readAltWalk();
    const machines = await join(read.operations, signal);
    const unreadable = new Set(read.unreadable.map(({ signature }) => signature));
    const now = clock.nowMilliseconds();
    await store.writeAltIndex(revision, {
      walk,
      machines,
      parked: read.unreadable.map((row) => park(row, attemptsOf(row), now)),
      unparked: rows.map(({ signature }) => signature).filter((signature) => !unreadable.has(signature)),
    });
    transactions.forget();
  }

  return { walkMachine, retryParked };
}
