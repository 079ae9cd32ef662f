/**
 * Repairs an incomplete history of a machine (chain-svm 6, "Proof against gaps"). It lists the transactions that
 * mention the machine's event log account down to the first slot, and reads and merges the unknown ones, in steps: the
 * list may be of any length, or without an end. It also retries parked transactions.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { AltEventStore, ListedTransaction, ParkedTransaction } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Clock } from '../../ports/runtime.ts';
import { MAX_MERGED_OPERATIONS, type MergeOperations } from './event-merge.ts';
import { AltHistoryRejected } from './history-rejected.ts';
import { checkPage, readPage, toListed, type ListPosition } from './signature-pager.ts';
import type { SharedBackoff } from './shared-backoff.ts';
import type { TransactionReader, TransactionsRead } from './transaction-reader.ts';

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
  /**
   * Merges listed transactions of the machine up to `done` that the index lacks. Returns whether the list is read to its
   * end; otherwise the next call continues it, or reads it again where the rows could not be stored. Throws
   * `AltHistoryRejected` when the list lacks a transaction that the index has.
   */
  repairMachine(id: MachineId, signal: AbortSignal): Promise<boolean>;
  /** Returns whether the next call continues the list of the machine. */
  isStarted(id: MachineId): boolean;
  /** Retries parked transactions that are due. Throws the failure of one after the others are merged. */
  retryParked(signal: AbortSignal): Promise<void>;
}

/** Pages listed in one step: together they have more rows than a slot may have, so that such a list fails its first step. */
const PAGES_PER_STEP = 150;
/** Unknown transactions after which a step lists no further page. */
const TRANSACTIONS_PER_STEP = 1_000;
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

/** List of a machine that is being read. */
interface StartedList {
  /** Undefined before the first page. */
  readonly position: ListPosition | undefined;
  /** Signatures of stored operations that the list has not contained so far. */
  readonly unseen: Set<string>;
}

export function createHistoryRepair(options: HistoryRepairOptions): HistoryRepair {
  const { history, store, backoff, transactions, merge, clock, firstSlot } = options;
  /** Lists that are not read to their end. */
  const started = new Map<MachineId, StartedList>();

  async function repairMachine(id: MachineId, signal: AbortSignal): Promise<boolean> {
    const before = started.get(id);
    // After a failure, the list is read from its start.
    started.delete(id);
    const { done } = await store.readAltWalk();
    if (done === undefined) return true;
    const [state] = await store.readAltMachines([id]);
    if (state !== undefined && state.operationCount > MAX_MERGED_OPERATIONS)
      throw new AltHistoryRejected('too-many-operations');
    const known = new Set(await store.listAltSignatures(id));
    const list = before ?? { position: undefined, unseen: new Set(known) };
    const { missing, next } = await listMissing(id, list, known, done.slot, signal);
    if (signal.aborted) return false;
    transactions.clear();
    if (missing.length > 0) {
      const read = await transactions.read(missing, signal);
      if (!(await mergeRows(missing, read, () => 1, signal))) return false;
    }
    // A list without a known transaction may lack others too. The rows that it has are merged nevertheless.
    if (next === undefined && list.unseen.size > 0) throw new AltHistoryRejected('known-not-listed');
    if (next !== undefined) started.set(id, { ...list, position: next });
    return next === undefined;
  }

  /**
   * Lists, oldest first, successful transactions up to a slot that have no known operation of the machine; `next` is
   * undefined at the end of the list. Removes the listed ones from `unseen`.
   */
  async function listMissing(
    id: MachineId,
    { position, unseen }: StartedList,
    known: ReadonlySet<string>,
    throughSlot: number,
    signal: AbortSignal,
  ): Promise<{ readonly missing: readonly ListedTransaction[]; readonly next: ListPosition | undefined }> {
    const missing = new Map<string, ListedTransaction>();
    let next = position;
    for (let pages = 0; pages < PAGES_PER_STEP && missing.size < TRANSACTIONS_PER_STEP && !signal.aborted; pages++) {
      const before = next;
      const list = () => backoff.run(() => history.listSignatures(id, before?.signature), signal);
      const page = await readPage(list, before);
      next = checkPage(page, before);
      for (const row of page) {
        if (row.hasFailed) continue;
        unseen.delete(row.signature);
        const isWanted = row.slot <= throughSlot && row.slot >= firstSlot;
        if (isWanted && !known.has(row.signature)) missing.set(row.signature, toListed(row));
      }
      if (next !== undefined && next.slot < firstSlot) next = undefined;
      if (next === undefined) break;
    }
    return { missing: [...missing.values()].toReversed(), next };
  }

  async function retryParked(signal: AbortSignal): Promise<void> {
    const now = clock.nowMilliseconds();
    const rows = await store.listParked(now, PARKED_PER_BATCH, now + LAST_PAUSE_MILLISECONDS);
    const attempts = new Map(rows.map((row) => [row.signature, row.attempts]));
    if (rows.length === 0) return;
    transactions.clear();
    const read = await transactions.retry(rows, signal);
    await mergeRows(rows, read, ({ signature }) => attempts.get(signature)! + 1, signal);
    if (read?.failure !== undefined) throw read.failure;
  }

  /** Returns whether the rows were stored; they are not when the signal is aborted or another process has written. */
  async function mergeRows(
    rows: readonly ListedTransaction[],
    read: TransactionsRead | undefined,
    attemptsOf: (row: ListedTransaction) => number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (read === undefined) return false;
    const { revision, ...walk } = await store.readAltWalk();
    const machines = await merge(read.operations, signal);
    const unreadable = new Set(read.unreadable.map(({ signature }) => signature));
    const now = clock.nowMilliseconds();
    const isWritten = await store.writeAltIndex(revision, {
      walk,
      machines,
      parked: read.unreadable.map((row) => park(row, attemptsOf(row), now)),
      unparked: rows.map(({ signature }) => signature).filter((signature) => !unreadable.has(signature)),
    });
    transactions.clear();
    return isWritten;
  }

  return { repairMachine, isStarted: (id) => started.has(id), retryParked };
}
