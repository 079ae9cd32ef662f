/**
 * What did listed transactions do? Read several at a time; what was read is remembered until it is applied, so that a failure in the middle
 * asks for nothing twice. A transaction that the node does not have is asked for again and never passed over (chain-svm 6).
 */
import type { EventChange, EventOperation } from '../../domain/alt-chain/event-operation.ts';
import type { FoundOperation, ListedTransaction } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Timers } from '../../ports/runtime.ts';
import { AltHistoryRejected } from './history-rejected.ts';
import type { SharedBackoff } from './shared-backoff.ts';

export interface TransactionReaderOptions {
  readonly history: AltHistory;
  readonly patience: SharedBackoff;
  readonly timers: Timers;
  /** Transactions asked for at once. */
  readonly concurrency: number;
}

export interface TransactionsRead {
  readonly operations: readonly FoundOperation[];
  /** Of no known form, or without a time: to be parked. */
  readonly unreadable: readonly ListedTransaction[];
}

export interface TransactionReader {
  /** Undefined when the signal is aborted. Throws `ChainUnreadable`, `AltNodeBusy`, `AltHistoryRejected`. */
  read(rows: readonly ListedTransaction[], signal: AbortSignal): Promise<TransactionsRead | undefined>;
  /** What was read is applied. */
  forget(): void;
}

const MAX_ATTEMPTS = 3;
const PAUSE_MILLISECONDS = 1_000;

type Outcome = readonly FoundOperation[] | 'unreadable';

export function createTransactionReader(options: TransactionReaderOptions): TransactionReader {
  const { history, patience, timers, concurrency } = options;
  const known = new Map<string, Outcome>();

  async function read(rows: readonly ListedTransaction[], signal: AbortSignal): Promise<TransactionsRead | undefined> {
    const waiting = rows.filter(({ signature }) => !known.has(signature)).values();
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    let failure: unknown;
    const readers = Array.from({ length: concurrency }, async () => {
      for (const row of waiting) {
        if (either.aborted) return;
        const outcome = await readOne(row, either);
        if (outcome !== undefined) known.set(row.signature, outcome);
      }
    });
    const endAll = (error: unknown) => {
      if (!ending.signal.aborted) failure = error;
      ending.abort();
    };
    await Promise.all(readers.map((reader) => reader.catch(endAll)));
    if (signal.aborted) return undefined;
    if (ending.signal.aborted) throw failure;
    return collect(rows);
  }

  function collect(rows: readonly ListedTransaction[]): TransactionsRead {
    const operations: FoundOperation[] = [];
    const unreadable: ListedTransaction[] = [];
    for (const row of rows) {
      const outcome = known.get(row.signature)!;
      if (outcome === 'unreadable') unreadable.push(row);
      else operations.push(...outcome);
    }
    return { operations, unreadable };
  }

  /** Undefined when the signal is aborted. */
  async function readOne(listed: ListedTransaction, signal: AbortSignal): Promise<Outcome | undefined> {
    let row = listed;
    for (let attempt = 1; ; attempt++) {
      const asked = row;
      const reading = await patience.ask(() => history.readTransaction({ ...asked, hasFailed: false }), signal);
      if (reading.state === 'read')
        return reading.operations.map((operation, order) => toFound(operation, order, asked));
      if (reading.state === 'parked') {
        const blockTime = await patience.ask(() => history.readBlockTime(asked.slot), signal);
        if (blockTime === undefined) return 'unreadable';
        row = { ...asked, blockTime };
      }
      if (attempt >= MAX_ATTEMPTS) {
        if (reading.state === 'not-here-yet') throw new AltHistoryRejected('missing-transaction');
        return 'unreadable';
      }
      if (reading.state !== 'parked') await timers.wait(PAUSE_MILLISECONDS, signal);
      if (signal.aborted) return undefined;
    }
  }

  return { read, forget: () => known.clear() };
}

function toFound(operation: EventOperation, order: number, row: ListedTransaction): FoundOperation {
  const change: EventChange & { evidence?: unknown } = { ...operation };
  delete change.evidence;
  const { signature, slot, blockTime } = row;
  return { change, signature, slot, position: undefined, order, blockTime };
}
