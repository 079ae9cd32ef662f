/**
 * Reads listed transactions concurrently. Results are cached until they are applied, so that a failure midway repeats
 * no request. A transaction that the node does not have yet is requested again and never skipped (chain-svm 6); the
 * others are read meanwhile, so that each step leaves fewer of them.
 */
import type { EventChange } from '../../domain/alt-chain/event-operation.ts';
import type { FoundOperation, ListedTransaction } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Timers } from '../../ports/runtime.ts';
import { AltHistoryRejected, concernsOneResponse } from './history-rejected.ts';
import type { SharedBackoff } from './shared-backoff.ts';

export interface TransactionReaderOptions {
  readonly history: AltHistory;
  readonly backoff: SharedBackoff;
  readonly timers: Timers;
}

export interface TransactionsRead {
  readonly operations: readonly FoundOperation[];
  /** Transactions of unknown form or without a time, to be parked. */
  readonly unreadable: readonly ListedTransaction[];
  /** First failure of a retried transaction, which is among the unreadable ones. */
  readonly failure?: Error | undefined;
}

export interface TransactionReader {
  /** Returns undefined when the signal is aborted. Throws `ChainUnreadable`, `AltNodeBusy`, `AltHistoryRejected`. */
  read(rows: readonly ListedTransaction[], signal: AbortSignal): Promise<TransactionsRead | undefined>;
  /** Like `read`, for parked transactions: one that is missing or fails alone is unreadable. */
  retry(rows: readonly ListedTransaction[], signal: AbortSignal): Promise<TransactionsRead | undefined>;
  /** Clears the cache once its transactions are applied. */
  clear(): void;
}

/** Transactions requested concurrently. */
const CONCURRENCY = 8;
const MAX_ATTEMPTS = 3;
const PAUSE_MILLISECONDS = 1_000;

type Outcome = readonly FoundOperation[] | 'unreadable';

export function createTransactionReader(options: TransactionReaderOptions): TransactionReader {
  const { history, backoff, timers } = options;
  /** By slot and signature: a node may list a transaction at a wrong slot too. */
  const outcomes = new Map<string, Outcome>();

  async function read(
    rows: readonly ListedTransaction[],
    signal: AbortSignal,
    readRow = readOne,
  ): Promise<TransactionsRead | undefined> {
    const waiting = rows.filter((row) => !outcomes.has(keyOf(row))).values();
    const stopping = new AbortController();
    const either = AbortSignal.any([signal, stopping.signal]);
    let failure: unknown;
    let missing: AltHistoryRejected | undefined;
    const readers = Array.from({ length: CONCURRENCY }, async () => {
      for (const row of waiting) {
        if (either.aborted) return;
        const outcome = await readRow(row, either);
        if (outcome !== undefined) outcomes.set(keyOf(row), outcome);
      }
    });
    const end = (error: unknown) => {
      // Each missing transaction ends one reader, so that a node without history is not asked for all of it.
      if (error instanceof AltHistoryRejected) missing ??= error;
      else if (!stopping.signal.aborted) {
        failure = error;
        stopping.abort();
      }
    };
    await Promise.all(readers.map((reader) => reader.catch(end)));
    if (signal.aborted) return undefined;
    if (stopping.signal.aborted) throw failure;
    if (missing !== undefined) throw missing;
    return collect(rows);
  }

  async function retry(rows: readonly ListedTransaction[], signal: AbortSignal): Promise<TransactionsRead | undefined> {
    let failure: Error | undefined;
    const result = await read(rows, signal, (row, either) =>
      readOne(row, either).catch((error: unknown): Outcome => {
        if (!concernsOneResponse(error)) throw error;
        failure ??= error;
        return 'unreadable';
      }),
    );
    return result && { ...result, failure };
  }

  /** Collects each signature once, unreadable only where it was read at none of its slots. */
  function collect(rows: readonly ListedTransaction[]): TransactionsRead {
    const found = new Map<string, readonly FoundOperation[]>();
    const unreadable = new Map<string, ListedTransaction>();
    for (const row of rows) {
      const outcome = outcomes.get(keyOf(row))!;
      if (outcome === 'unreadable') unreadable.set(row.signature, row);
      else if (!found.has(row.signature)) found.set(row.signature, outcome);
    }
    for (const signature of found.keys()) unreadable.delete(signature);
    return { operations: [...found.values()].flat(), unreadable: [...unreadable.values()] };
  }

  /** Returns undefined when the signal is aborted. */
  async function readOne(listed: ListedTransaction, signal: AbortSignal): Promise<Outcome | undefined> {
    let row = listed;
    for (let attempt = 1; ;) {
      const current = row;
      const reading = await backoff.run(() => history.readTransaction({ ...current, hasFailed: false }), signal);
      if (reading.state === 'read') return reading.operations.map((change, order) => toFound(change, order, current));
      if (reading.state === 'parked' && row === listed) {
        const blockTime = await backoff.run(() => history.readBlockTime(current.slot), signal);
        if (blockTime === undefined) return 'unreadable';
        row = { ...current, blockTime };
      } else {
        if (attempt === MAX_ATTEMPTS) {
          if (reading.state === 'not-here-yet') throw new AltHistoryRejected('missing-transaction');
          return 'unreadable';
        }
        attempt += 1;
        await timers.wait(PAUSE_MILLISECONDS, signal);
      }
      if (signal.aborted) return undefined;
    }
  }

  return { read: (rows, signal) => read(rows, signal), retry, clear: () => outcomes.clear() };
}

function keyOf({ slot, signature }: ListedTransaction): string {
  return `${slot}/${signature}`;
}

function toFound(change: EventChange, order: number, row: ListedTransaction): FoundOperation {
  const { signature, slot, blockTime } = row;
  return { change, signature, slot, position: undefined, order, blockTime };
}
